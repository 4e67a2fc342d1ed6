import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readKustomization, root } from "../../manifests/kustomization.ts";
import { danglingReferences } from "../../manifests/references.ts";
import { faultsOf } from "../../manifests/schemas/schemas.ts";
import { kubectl } from "../kubectl.ts";
import { build, buildOverlay, environmentOf, namesOf, sorted, sweepRows } from "./build.ts";
import { chosen, overlayOf } from "./chosen-systems.ts";

if (!kubectl) console.log("Builds by kustomize are not tested: KUBEBUILDER_ASSETS names no folder with kubectl.");

describe.skipIf(!kubectl)("kustomize", () => {
  const options = globSync("knative/*/*/triggers.yaml", { cwd: root }).map(dirname);
  test.each(["knative", "sources", "knative/overlays/access", "knative/overlays/functions", ...options])(
    "brings together of %s what its files say, unchanged",
    (folder) => expect(sorted(build(folder))).toEqual(sorted(readKustomization(folder).objects)),
  );

  // Parts of one, for tools that apply one after the other.
  const stages = ["knative/overlays/access", "knative/overlays/functions"];
  const installs = ["overlays", "examples"]
    .flatMap((kind) => globSync(`knative/${kind}/*`, { cwd: root }))
    .filter((folder) => ![...stages, "knative/examples/flux"].includes(folder))
    .filter((folder) => readKustomization(folder).kind === "Kustomization")
    .sort();
  test.each(installs)("%s builds an install that is whole, with only fields that we know", (folder) => {
    const objects = build(folder);
    expect(objects.flatMap(faultsOf)).toEqual([]);
    expect(danglingReferences(objects)).toEqual([]);
    expect(namesOf("Namespace", objects)).toEqual(["holdfast"]);
  });

  test(
    "the stages that Flux applies are together what kubectl applies, and only accounts, " +
      "roles, write policies and the namespace come first",
    () => {
      const [access, functions] = stages.map(build) as [KubernetesObject[], KubernetesObject[]];
      const rights = ["ClusterRole", "ClusterRoleBinding", "Namespace", "Role", "RoleBinding", "ServiceAccount"];
      const first = [...rights, "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"];
      expect([...new Set(access.map(({ kind }) => kind))].sort()).toEqual(first);
      expect(namesOf("ServiceAccount", access)).toEqual(namesOf("Service", functions));
      expect(sorted([...access, ...functions])).toEqual(sorted(build("knative")));
      expect(build("knative/examples/flux").flatMap(faultsOf)).toEqual([]);
    },
  );

  test("Argo CD applies the namespace, accounts and roles a wave before all else", () => {
    const wave = ({ metadata }: KubernetesObject) => metadata.annotations?.["argocd.argoproj.io/sync-wave"];
    const objects = build("knative/examples/argo-cd");
    const early = objects.filter((object) => wave(object) === "-1").map(({ kind }) => kind);
    const kinds = ["Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];
    expect(early.sort()).toEqual(objects.flatMap(({ kind }) => (kinds.includes(kind) ? kind : [])).sort());
    expect(objects.filter((object) => wave(object) === undefined).map(({ kind }) => kind)).toContain("Service");
  });

  test.each(globSync("knative/components/*", { cwd: root }))(
    "%s is part of an overlay, or builds on the default",
    (folder) => {
      const before = folder.endsWith("kafka-ordered") ? ["knative/components/kafka"] : [];
      const objects = buildOverlay({ components: [...before, folder] });
      expect(objects.flatMap(faultsOf)).toEqual([]);
      expect(objects).not.toEqual(build("knative"));
    },
  );

  test("an overlay moves everything to another namespace, and nothing refers to the old one", () => {
    // Kustomize takes policies for namespaced; the API server drops the namespace.
    const isPolicy = ({ kind }: KubernetesObject) => kind.startsWith("ValidatingAdmissionPolicy");
    const objects = buildOverlay({ namespace: "storage-safety" }).map((object) => {
      const { namespace, ...metadata } = object.metadata;
      return isPolicy(object) ? { ...object, metadata } : object;
    });
    expect(namesOf("Namespace", objects)).toEqual(["storage-safety"]);
    expect(danglingReferences(objects)).toEqual([]);
    expect(objects.filter(({ metadata }) => metadata.namespace === "holdfast")).toEqual([]);
    // Texts are not reached, and need not be.
    for (const { sink } of sweepRows(objects)) expect(new URL(sink).pathname).toMatch(/^\/storage-safety\/\w+$/);
    for (const service of ["platform-sweep", "platform-dead-letter"])
      expect(environmentOf(service, objects).NAMESPACE ?? "").toBe("");
  });

  test.each(chosen.map((systems) => [systems.join(" and "), systems] as const))(
    "%s alone, as the README says, is whole, and looks for what its own rules want",
    (_, systems) => {
      const objects = buildOverlay(overlayOf(systems));
      expect(objects.flatMap(faultsOf)).toEqual([]);
      expect(danglingReferences(objects)).toEqual([]);
      expect(namesOf("Service", objects)).toContain("platform-sweep");
      expect(new Set(sweepRows(objects).map(({ rule }) => rule.split("/")[0]))).toEqual(new Set(systems));
    },
  );

  test("a finalizer of one's own, named once, is in both functions, their policies and the sweep's table", () => {
    const [own, objects] = ["corp.example/keep", build("knative/examples/own-finalizer")];
    for (const name of ["pvc-protection-protect", "pvc-protection-release"]) {
      expect(environmentOf(name, objects).FINALIZER).toBe(own);
      const policies = objects.filter(({ kind }) => kind === "ValidatingAdmissionPolicy");
      const policy = policies.find(({ metadata }) => metadata.name === `holdfast-${name}`);
      expect(policy).toHaveProperty("spec.variables.0", { name: "FINALIZER", expression: `"${own}"` });
    }
    const rows = sweepRows(objects).filter(({ rule }) => rule.startsWith("pvc-protection/"));
    expect(rows.flatMap(({ when }) => when ?? [])).toEqual([
      { aliveWithout: own },
      { deletingWith: own },
      { deletingWith: "kubernetes.io/pvc-protection" },
    ]);
  });

  test("a finalizer of one's own is also in what components of the same overlay bring: policy and table", () => {
    const text = readFileSync(join(root, "knative/examples/own-finalizer/kustomization.yaml"), "utf8");
    const { patches, replacements } = parse(text);
    const components = ["knative/pvc-protection/admission-policy", "knative/components/kafka"];
    const objects = buildOverlay({ components, patches, replacements });
    const policy = objects.find(({ kind }) => kind === "MutatingAdmissionPolicy");
    expect(JSON.stringify(policy)).toContain('finalizers: [\\"corp.example/keep\\"]');
    expect(sweepRows(objects).map(({ when }) => when)).toContainEqual({ deletingWith: "corp.example/keep" });
  });

  test("a patch that misses its variable fails, instead of setting another", () => {
    const patch = stringify([
      { op: "test", path: "/spec/template/spec/containers/0/env/1/name", value: "MODE" },
      { op: "replace", path: "/spec/template/spec/containers/0/env/1/value", value: "document" },
    ]);
    const patches = [{ target: { kind: "Service", name: "pvc-protection-release" }, patch }];
    expect(() => buildOverlay({ patches })).toThrow(/MODE|test/);
  });
});
