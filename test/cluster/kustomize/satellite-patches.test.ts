import { describe, expect, test } from "vitest";
import type { Patch } from "../../../functions/satellite/lib/schema/satellite-spec.ts";
import { applyPatches } from "../../../functions/satellite/lib/workload/apply-patches.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { kubectl } from "../kubectl.ts";
import { buildOverlay } from "./build.ts";

if (!kubectl) console.log("Patches are not held against kustomize: KUBEBUILDER_ASSETS names no folder with kubectl.");

const daemonSet = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: {
    name: "linstor-satellite",
    namespace: "piraeus",
    labels: { "app.kubernetes.io/component": "linstor-satellite" },
  },
  spec: {
    template: {
      spec: {
        tolerations: [{ operator: "Exists" }, { key: "a" }, { key: "b" }],
        containers: [{ name: "linstor-satellite", image: "s:v1", args: ["startSatellite"] }],
        volumes: [{ name: "dev", hostPath: { path: "/dev", type: "Directory" } }],
      },
    },
  },
};

const to = { kind: "DaemonSet", name: "linstor-satellite" };
const json = (...operations: object[]): Patch => ({ target: to, patch: JSON.stringify(operations) });
const inPod = "/spec/template/spec";
const merged = (patch: object) => JSON.stringify({ apiVersion: "apps/v1", kind: "DaemonSet", ...patch });
const hostNetwork = merged({ metadata: { name: "any" }, spec: { template: { spec: { hostNetwork: true } } } });

describe.skipIf(!kubectl)("patches of a satellite come to what kustomize makes of them", () => {
  test.each<[string, Patch[]]>([
    ["add and append", [json({ op: "add", path: `${inPod}/tolerations/-`, value: { key: "c" } })]],
    ["insert", [json({ op: "add", path: `${inPod}/tolerations/0`, value: { key: "c" } })]],
    ["beyond the end", [json({ op: "add", path: `${inPod}/tolerations/9`, value: { key: "c" } })]],
    ["from the end", [json({ op: "replace", path: `${inPod}/tolerations/-1`, value: { key: "c" } })]],
    ["replace", [json({ op: "replace", path: `${inPod}/containers/0/image`, value: "s:v2" })]],
    ["replace what is not there", [json({ op: "replace", path: `${inPod}/hostNetwork`, value: true })]],
    ["replace below nothing", [json({ op: "replace", path: `${inPod}/affinity/nodeAffinity`, value: {} })]],
    ["remove", [json({ op: "remove", path: `${inPod}/volumes` })]],
    ["remove what is not there", [json({ op: "remove", path: `${inPod}/hostNetwork` })]],
    ["move", [json({ op: "move", from: "/metadata/labels/app.kubernetes.io~1component", path: "/metadata/labels/x" })]],
    ["copy", [json({ op: "copy", from: `${inPod}/volumes/0/name`, path: "/metadata/labels/x" })]],
    ["copy within", [json({ op: "copy", from: `${inPod}/tolerations/0`, path: `${inPod}/tolerations/2` })]],
    ["a test that holds", [json({ op: "test", path: `${inPod}/containers/0/image`, value: "s:v1" })]],
    [
      "a test that fails after an operation",
      [json({ op: "remove", path: `${inPod}/volumes` }, { op: "test", path: "/kind", value: "Pod" })],
    ],
    ["an unknown operation", [json({ op: "frob", path: "/spec" })]],
    ["no path", [json({ op: "remove" })]],
    ["YAML", [{ target: to, patch: `- op: add\n  path: ${inPod}/hostNetwork\n  value: true` }]],
    ["no target", [{ patch: `[{"op": "remove", "path": "${inPod}/volumes"}]` }]],
    ["a list of something else", [{ target: to, patch: "[1]" }]],
    ["another object", [{ ...json({ op: "remove", path: "/none" }), target: { kind: "Deployment" } }]],
    ["one after the other", [json({ op: "remove", path: `${inPod}/tolerations` }), { target: to, patch: hostNetwork }]],
    ...(
      [
        { group: "apps", version: "v.", kind: "Daemon.*", name: "linstor-.*|x" },
        { group: "batch" },
        { name: "linstor" },
        { namespace: "p.*s" },
        { namespace: "other" },
        { name: "(" },
        { labelSelector: "app.kubernetes.io/component=linstor-satellite,!other" },
        { labelSelector: "app.kubernetes.io/component in (x, linstor-satellite)" },
        { labelSelector: "app.kubernetes.io/component notin (linstor-satellite)" },
        { labelSelector: "a ~ b" },
        { annotationSelector: "a" },
      ] as const
    ).map((target): [string, Patch[]] => [`target ${JSON.stringify(target)}`, [{ target, patch: hostNetwork }]]),
  ])("%s", (_, patches) => {
    const patched = applyPatches(daemonSet, to, patches);
    const built = kustomized(patches);
    if (built === undefined) expect(patched).toHaveProperty("problem");
    else expect(patched).toEqual({ object: built });
  });
});

/** Undefined where kustomize refuses the patches. */
function kustomized(patches: readonly Patch[]): KubernetesObject | undefined {
  try {
    return buildOverlay({ objects: [daemonSet as unknown as KubernetesObject], resources: [], patches })[0];
  } catch {
    return undefined;
  }
}
