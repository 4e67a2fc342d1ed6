import { globSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { readKustomization, root } from "../../manifests/kustomization.ts";
import { danglingReferences } from "../../manifests/references.ts";
import { faultsOf } from "../../manifests/schemas/schemas.ts";
import { kubectl } from "../kubectl.ts";
import { build, buildOverlay, environmentOf, namesOf, sorted, sweepRows } from "./build.ts";

if (!kubectl) console.log("Builds by kustomize are not tested: KUBEBUILDER_ASSETS names no folder with kubectl.");

describe.skipIf(!kubectl)("kustomize", () => {
  const options = globSync("knative/*/*/triggers.yaml", { cwd: root }).map(dirname);
  test.each(["knative", "sources", ...options])("brings together of %s what its files say, unchanged", (folder) => {
    expect(sorted(build(folder))).toEqual(sorted(readKustomization(folder).objects));
  });

  const installs = ["overlays", "examples"]
    .flatMap((kind) => globSync(`knative/${kind}/*`, { cwd: root }))
    .filter((folder) => readKustomization(folder).kind === "Kustomization")
    .sort();
  test.each(installs)("%s builds an install that is whole, with only fields that we know", (folder) => {
    const objects = build(folder);
    expect(objects.flatMap(faultsOf)).toEqual([]);
    expect(danglingReferences(objects)).toEqual([]);
    expect(namesOf("Namespace", objects)).toEqual(["holdfast"]);
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
    const objects = buildOverlay({ namespace: "storage-safety" });
    expect(namesOf("Namespace", objects)).toEqual(["storage-safety"]);
    expect(danglingReferences(objects)).toEqual([]);
    expect(objects.filter(({ metadata }) => metadata.namespace === "holdfast")).toEqual([]);
    // Texts are not reached, and need not be.
    for (const { sink } of sweepRows(objects)) expect(new URL(sink).pathname).toMatch(/^\/storage-safety\/\w+$/);
    for (const service of ["platform-sweep", "platform-dead-letter"])
      expect(environmentOf(service, objects).NAMESPACE ?? "").toBe("");
  });

  test("an overlay takes a system out", () => {
    const objects = buildOverlay({ resources: ["knative/brokers", "sources"], components: ["knative/platform"] });
    expect(namesOf("Service", objects)).toEqual(["platform-dead-letter", "platform-sweep"]);
    expect(danglingReferences(objects)).toEqual([]);
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
