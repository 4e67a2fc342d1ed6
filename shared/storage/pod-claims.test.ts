import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { claimsOf, isTerminated, type UseMode, unreadOf, uses } from "./pod-claims.ts";

const stopped = { name: "main", state: { terminated: { exitCode: 0 } } };
const running = { name: "main", state: { running: {} } };
const deleting = { deletionTimestamp: "2026-03-01T12:00:00Z", deletionGracePeriodSeconds: 30 };

interface Change {
  metadata?: object;
  spec?: object;
  status?: object;
}
const pod = ({ metadata, spec, status }: Change = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-0", namespace: "shop", uid: "pod-uid", resourceVersion: "1", ...metadata },
  spec: {
    nodeName: "n0",
    containers: [{ name: "main" }],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
    ...spec,
  },
  status: { phase: "Running", containerStatuses: [running], ...status },
});
const claim = (name = "data", metadata: object = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: "shop", uid: "claim-uid", resourceVersion: "1", ...metadata },
});
const ephemeral = { volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: {} } }] };
const ownedByPod = (uid = "pod-uid", controller = true) => ({
  ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "web-0", uid, controller }],
});

const used = (pod: KubernetesObject, target: KubernetesObject, mode: UseMode) =>
  claimsOf(pod).some((use) => uses(pod, use, target, mode));

/** As a list gives it out. */
function emptied(pod: KubernetesObject, paths: readonly string[]): KubernetesObject {
  const copy = structuredClone(pod) as unknown as Record<string, Record<string, unknown> | undefined>;
  for (const [parent = "", child = ""] of paths.map((path) => path.split(".")))
    if (Array.isArray(copy[parent]?.[child])) copy[parent][child] = [];
  return copy as unknown as KubernetesObject;
}

describe("whether a pod uses a claim", () => {
  test.each<[string, KubernetesObject, KubernetesObject, boolean, boolean]>([
    // what, pod, claim, strict, document
    ["running", pod(), claim(), true, true],
    ["with another claim only", pod(), claim("logs"), false, false],
    ["without a node", pod({ spec: { nodeName: undefined } }), claim(), false, false],
    ["with an empty node name", pod({ spec: { nodeName: "" } }), claim(), false, false],
    ["succeeded", pod({ status: { phase: "Succeeded" } }), claim(), true, false],
    ["failed", pod({ status: { phase: "Failed" } }), claim(), true, false],
    ["in phase Unknown", pod({ status: { phase: "Unknown" } }), claim(), true, true],
    ["without any status", pod({ status: { phase: undefined, containerStatuses: undefined } }), claim(), true, true],
    ["bound, not started", pod({ status: { phase: "Pending", containerStatuses: [] } }), claim(), true, true],
    ["being deleted, still running", pod({ metadata: deleting }), claim(), true, true],
    [
      "being deleted, all containers stopped",
      pod({ metadata: deleting, status: { containerStatuses: [stopped] } }),
      claim(),
      true,
      false,
    ],
    [
      "being deleted, no kubelet reports on its containers",
      pod({ metadata: deleting, status: { containerStatuses: [] } }),
      claim(),
      true,
      true,
    ],
    [
      "being deleted, a sidecar still running",
      pod({
        metadata: deleting,
        status: { containerStatuses: [stopped], initContainerStatuses: [{ ...running, name: "proxy" }] },
      }),
      claim(),
      true,
      true,
    ],
    [
      "being deleted, its container said to wait: it may have been started a moment ago",
      pod({ metadata: deleting, status: { containerStatuses: [{ name: "main", state: { waiting: {} } }] } }),
      claim(),
      true,
      true,
    ],
    [
      "being deleted, an init container unreported",
      pod({
        metadata: deleting,
        spec: { initContainers: [{ name: "init" }] },
        status: { containerStatuses: [stopped] },
      }),
      claim(),
      true,
      true,
    ],
    [
      "being deleted, statuses that are no list",
      pod({ metadata: deleting, status: { containerStatuses: 3 } }),
      claim(),
      true,
      true,
    ],
    [
      "being deleted, one of two containers unreported",
      pod({
        metadata: deleting,
        spec: { containers: [{ name: "main" }, { name: "log" }] },
        status: { containerStatuses: [stopped] },
      }),
      claim(),
      true,
      true,
    ],
    [
      "with an ephemeral volume whose claim it controls",
      pod({ spec: ephemeral }),
      claim("web-0-scratch", ownedByPod()),
      true,
      true,
    ],
    [
      "with an ephemeral volume whose claim has no owner",
      pod({ spec: ephemeral }),
      claim("web-0-scratch"),
      false,
      false,
    ],
    [
      "with an ephemeral volume whose claim another pod of its name controls",
      pod({ spec: ephemeral }),
      claim("web-0-scratch", ownedByPod("other")),
      false,
      false,
    ],
    [
      "with an ephemeral volume whose claim it owns without controlling",
      pod({ spec: ephemeral }),
      claim("web-0-scratch", ownedByPod("pod-uid", false)),
      false,
      false,
    ],
    [
      "with an ephemeral volume, being deleted in its grace period",
      pod({ spec: ephemeral, metadata: deleting }),
      claim("web-0-scratch", ownedByPod()),
      true,
      true,
    ],
    [
      "with an ephemeral volume, shut down and kept by a finalizer",
      pod({ spec: ephemeral, metadata: { ...deleting, deletionGracePeriodSeconds: 0 } }),
      claim("web-0-scratch", ownedByPod()),
      false,
      false,
    ],
    [
      "with the claim itself, shut down and kept by a finalizer",
      pod({ metadata: { ...deleting, deletionGracePeriodSeconds: 0 } }),
      claim(),
      true,
      true,
    ],
  ])("%s", (_, pod, claim, strict, document) => {
    expect([used(pod, claim, "strict"), used(pod, claim, "document")]).toEqual([strict, document]);
    const read = (mode: UseMode) => used(emptied(pod, unreadOf(mode)), claim, mode);
    expect([read("strict"), read("document")], "without what is not read").toEqual([strict, document]);
  });
});

test("a pod without spec, or with volumes of other kinds, names no claims", () => {
  expect(claimsOf({ ...pod(), spec: undefined })).toEqual([]);
  expect(claimsOf(pod({ spec: { volumes: [{ name: "tmp", emptyDir: {} }, null] } }))).toEqual([]);
  expect(claimsOf(pod({ spec: { volumes: "none" } }))).toEqual([]);
});

test("a pod that is not being deleted has not terminated, also if its containers say so", () => {
  expect(isTerminated(pod({ status: { containerStatuses: [stopped] } }))).toBe(false);
});
