import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { readTable } from "../../functions/platform/sweep/table.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { parseYaml, readKustomization, root } from "../manifests/kustomization.ts";
import { danglingReferences, identityOf } from "../manifests/references.ts";
import { faultsOf, ofKind } from "../manifests/schemas/schemas.ts";
import { kubectl, run } from "./kubectl.ts";

if (!kubectl) console.log("Builds by kustomize are not tested: KUBEBUILDER_ASSETS names no folder with kubectl.");

/** What kubectl's own kustomize makes of a folder. */
const build = (folder: string) => parseYaml(run(["kustomize", folder]), folder) as KubernetesObject[];

const sorted = (objects: readonly KubernetesObject[]) =>
  objects.toSorted((one, other) => (identityOf(one) < identityOf(other) ? -1 : 1));

describe.skipIf(!kubectl)("kustomize", () => {
  const scratch = join(tmpdir(), `holdfast-kustomize-${process.pid}`);
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  /** Builds an administrator's overlay that lies outside of the repository. */
  function buildOverlay(name: string, kustomization: object): KubernetesObject[] {
    const folder = join(scratch, name);
    mkdirSync(folder, { recursive: true });
    const resources = [relative(folder, join(root, "knative/overlays/default"))];
    writeFileSync(join(folder, "kustomization.yaml"), stringify({ resources, ...kustomization }));
    return build(folder);
  }

  test.each(["knative", "sources", ...globSync("knative/*/*/triggers.yaml", { cwd: root }).map(dirname)])(
    "brings together of %s what its files say, unchanged",
    (folder) => {
      expect(sorted(build(join(root, folder)))).toEqual(sorted(readKustomization(folder).objects));
    },
  );

  test.each(globSync("knative/examples/*", { cwd: root }))("%s builds an install that is whole", (folder) => {
    const objects = build(join(root, folder));
    expect(objects.flatMap(faultsOf)).toEqual([]);
    expect(danglingReferences(objects)).toEqual([]);
  });

  test("the example document-mode sets the mode and adds the Triggers that it needs", () => {
    const objects = build(join(root, "knative/examples/document-mode"));
    expect(environmentOf("pvc-protection-release", objects)).toMatchObject({ MODE: "document", IN_TREE: "overruled" });
    expect(namesOf("Trigger", objects)).toContain("pvc-protection-release-workloads-pod-updates");
  });

  test("the example selected-claims says the same to the policy, to protect and to the sweep", () => {
    const objects = build(join(root, "knative/examples/selected-claims"));
    const [binding] = ofKind("MutatingAdmissionPolicyBinding", objects);
    const { namespaceSelector, objectSelector } = binding?.spec.matchResources ?? {};
    const { SELECTOR, EXCLUDED_NAMESPACES } = environmentOf("pvc-protection-protect", objects);
    expect(objectSelector?.matchLabels).toEqual(Object.fromEntries([SELECTOR?.split("=") ?? []]));
    expect(namespaceSelector?.matchExpressions?.[0]?.values).toEqual(EXCLUDED_NAMESPACES?.split(","));
    const [table] = ofKind("ConfigMap", objects);
    const { rows, faults } = readTable(table?.data["table.yaml"] ?? "");
    expect(faults).toEqual([]);
    expect(rows.map(({ rule, excludedNamespaces }) => [rule, excludedNamespaces.join(",")])).toEqual([
      ["pvc-protection/protect", EXCLUDED_NAMESPACES],
      ["pvc-protection/release", ""],
    ]);
  });

  test("the example images leaves no placeholder", () => {
    const objects = build(join(root, "knative/examples/images"));
    const images = ofKind("Service", objects).map(({ spec }) => spec.template.spec.containers[0].image);
    expect(images.filter((image) => image.startsWith("fn://"))).toEqual([]);
    expect(new Set(images).size).toBe(images.length);
  });

  test("the example smaller has nothing left that would wake warn", () => {
    const objects = build(join(root, "knative/examples/smaller"));
    expect(namesOf("Service", objects)).not.toContain("pvc-protection-warn");
    expect(namesOf("Trigger", objects).filter((name) => name.startsWith("pvc-protection-warn"))).toEqual([]);
    expect(ofKind("PingSource", objects).map(({ spec }) => spec.schedule)).toEqual(["*/5 * * * *"]);
  });

  test("an overlay moves everything to another namespace, and nothing refers to the old one", () => {
    const objects = buildOverlay("moved", { namespace: "storage-safety" });
    expect(namesOf("Namespace", objects)).toEqual(["storage-safety"]);
    expect(danglingReferences(objects)).toEqual([]);
    expect(objects.filter(({ metadata }) => metadata.namespace === "holdfast")).toEqual([]);
  });

  test("an overlay takes a system out", () => {
    const folders = ["brokers", "platform", "../sources"].map((folder) => join(root, "knative", folder));
    const resources = folders.map((folder) => relative(join(scratch, "fewer"), folder));
    const objects = buildOverlay("fewer", { resources });
    expect(namesOf("Service", objects)).toEqual(["platform-dead-letter", "platform-sweep"]);
    expect(danglingReferences(objects)).toEqual([]);
  });

  test("a patch that misses its variable fails, instead of setting another", () => {
    const patch = stringify([
      { op: "test", path: "/spec/template/spec/containers/0/env/1/name", value: "MODE" },
      { op: "replace", path: "/spec/template/spec/containers/0/env/1/value", value: "document" },
    ]);
    const patches = [{ target: { kind: "Service", name: "pvc-protection-release" }, patch }];
    expect(() => buildOverlay("missed", { patches })).toThrow(/MODE|test/);
  });
});

const namesOf = (kind: string, objects: readonly KubernetesObject[]) =>
  objects
    .filter((object) => object.kind === kind)
    .map(({ metadata }) => metadata.name)
    .sort();

function environmentOf(service: string, objects: readonly KubernetesObject[]): Record<string, string> {
  const found = ofKind("Service", objects).find(({ metadata }) => metadata.name === service);
  return Object.fromEntries(found?.spec.template.spec.containers[0].env.map(({ name, value }) => [name, value]) ?? []);
}
