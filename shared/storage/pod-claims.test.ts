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
  const isUsed = (pod: KubernetesObject, claim: KubernetesObject, strict: boolean, document: boolean) => {
    expect([used(pod, claim, "strict"), used(pod, claim, "document")]).toEqual([strict, document]);
    const read = (mode: UseMode) => used(emptied(pod, unreadOf(mode)), claim, mode);
    expect([read("strict"), read("document")], "without what is not read").toEqual([strict, document]);
  };
  // what, pod, claim, strict, document
  test("running", () => isUsed(pod(), claim(), true, true));
  test("with another claim only", () => isUsed(pod(), claim("logs"), false, false));
  test("without a node", () => isUsed(pod({ spec: { nodeName: undefined } }), claim(), false, false));
  test("with an empty node name", () => isUsed(pod({ spec: { nodeName: "" } }), claim(), false, false));
  test("succeeded", () => isUsed(pod({ status: { phase: "Succeeded" } }), claim(), true, false));
  test("failed", () => isUsed(pod({ status: { phase: "Failed" } }), claim(), true, false));
  test("in phase Unknown", () => isUsed(pod({ status: { phase: "Unknown" } }), claim(), true, true));
  test("without any status", () =>
    isUsed(pod({ status: { phase: undefined, containerStatuses: undefined } }), claim(), true, true));
  test("bound, not started", () =>
    isUsed(pod({ status: { phase: "Pending", containerStatuses: [] } }), claim(), true, true));
  test("being deleted, still running", () => isUsed(pod({ metadata: deleting }), claim(), true, true));
  test("being deleted, all containers stopped", () =>
    isUsed(pod({ metadata: deleting, status: { containerStatuses: [stopped] } }), claim(), true, false));
  test("being deleted, no kubelet reports on its containers", () =>
    isUsed(pod({ metadata: deleting, status: { containerStatuses: [] } }), claim(), true, true));
  test("being deleted, a sidecar still running", () =>
    isUsed(
      pod({
        metadata: deleting,
        status: { containerStatuses: [stopped], initContainerStatuses: [{ ...running, name: "proxy" }] },
      }),
      claim(),
      true,
      true,
    ));
  test("being deleted, its container said to wait: it may have been started a moment ago", () =>
    isUsed(
      pod({ metadata: deleting, status: { containerStatuses: [{ name: "main", state: { waiting: {} } }] } }),
      claim(),
      true,
      true,
    ));
  test("being deleted, an init container unreported", () =>
    isUsed(
      pod({
        metadata: deleting,
        spec: { initContainers: [{ name: "init" }] },
        status: { containerStatuses: [stopped] },
      }),
      claim(),
      true,
      true,
    ));
  test("being deleted, statuses that are no list", () =>
    isUsed(pod({ metadata: deleting, status: { containerStatuses: 3 } }), claim(), true, true));
  test("being deleted, one of two containers unreported", () =>
    isUsed(
      pod({
        metadata: deleting,
        spec: { containers: [{ name: "main" }, { name: "log" }] },
        status: { containerStatuses: [stopped] },
      }),
      claim(),
      true,
      true,
    ));
  test("with an ephemeral volume whose claim it controls", () =>
    isUsed(pod({ spec: ephemeral }), claim("web-0-scratch", ownedByPod()), true, true));
  test("with an ephemeral volume whose claim has no owner", () =>
    isUsed(pod({ spec: ephemeral }), claim("web-0-scratch"), false, false));
  test("with an ephemeral volume whose claim another pod of its name controls", () =>
    isUsed(pod({ spec: ephemeral }), claim("web-0-scratch", ownedByPod("other")), false, false));
  test("with an ephemeral volume whose claim it owns without controlling", () =>
    isUsed(pod({ spec: ephemeral }), claim("web-0-scratch", ownedByPod("pod-uid", false)), false, false));
  test("with an ephemeral volume, being deleted in its grace period", () =>
    isUsed(pod({ spec: ephemeral, metadata: deleting }), claim("web-0-scratch", ownedByPod()), true, true));
  test("with an ephemeral volume, shut down and kept by a finalizer", () =>
    isUsed(
      pod({ spec: ephemeral, metadata: { ...deleting, deletionGracePeriodSeconds: 0 } }),
      claim("web-0-scratch", ownedByPod()),
      false,
      false,
    ));
  test("with the claim itself, shut down and kept by a finalizer", () =>
    isUsed(pod({ metadata: { ...deleting, deletionGracePeriodSeconds: 0 } }), claim(), true, true));
});

test("a pod without spec, or with volumes of other kinds, names no claims", () => {
  expect(claimsOf({ ...pod(), spec: undefined })).toEqual([]);
  expect(claimsOf(pod({ spec: { volumes: [{ name: "tmp", emptyDir: {} }, null] } }))).toEqual([]);
  expect(claimsOf(pod({ spec: { volumes: "none" } }))).toEqual([]);
});

test("a pod that is not being deleted has not terminated, also if its containers say so", () =>
  expect(isTerminated(pod({ status: { containerStatuses: [stopped] } }))).toBe(false));
