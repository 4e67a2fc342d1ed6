import { expect, test } from "vitest";
import type { KubernetesObject, OwnerReference } from "../../../../shared/kubernetes/object.ts";
import type { Truth } from "../../invariants/invariant.ts";
import type { Change } from "../../world/change.ts";
import { noReplicaMountsACondemnedClaim } from "./condemned-claims.ts";

const firstPod: OwnerReference = { apiVersion: "v1", kind: "Pod", name: "web-1", uid: "pod-1", controller: true };
const set: OwnerReference = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: "set", controller: true };

const claim = (ownerReferences: OwnerReference[], deletionTimestamp?: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: {
    namespace: "default",
    name: "data-web-1",
    uid: "claim",
    resourceVersion: "1",
    ownerReferences,
    ...(deletionTimestamp ? { deletionTimestamp } : {}),
  },
});

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "default", name: "web-1", uid: "pod-2" },
  spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-web-1" } }] },
} as unknown as KubernetesObject;

function change(by: string, at: number, before: KubernetesObject | undefined, after: KubernetesObject): Change {
  const process = by.includes("/") ? { process: { rule: by } } : {};
  return { by: { name: by, ...process }, at, version: at, before, after, object: after } as unknown as Change;
}

/** What is said when the pod is made, after these changes of the claim. */
function saidOf(changes: readonly Change[], made: Change): string | undefined {
  const live = (kind: string) => (kind === "PersistentVolumeClaim" ? [changes.at(-1)?.after] : []);
  return noReplicaMountsACondemnedClaim.check(made, { chronicle: { live }, changes } as unknown as Truth);
}

const kept = claim([set]);
const given = claim([firstPod]);
const deleted = claim([set], "2026-01-01T00:00:00Z");
const condemn = "pvc-retention/condemn";
const late = change("kubernetes", 5_000, undefined, pod);

test.each([
  ["given to an earlier pod", given],
  ["deleted", deleted],
])("a pod on a claim that condemn has %s is found", (_, after) => {
  expect(saidOf([change(condemn, 1_000, kept, after)], late)).toBe(
    "Pod web-1 was made for claim data-web-1, which had been condemned 4000 ms before.",
  );
});

test("what Kubernetes cannot have heard of yet is not held against it", () => {
  const made = change("kubernetes", 1_500, undefined, pod);
  expect(saidOf([change(condemn, 1_000, kept, given)], made)).toBeUndefined();
});

test("a claim that was taken back, that others have condemned, or that nobody has, may be mounted", () => {
  const condemned = change(condemn, 1_000, kept, given);
  expect(saidOf([condemned, change("pvc-retention/own", 2_000, given, kept)], late)).toBeUndefined();
  expect(saidOf([change("user", 1_000, kept, deleted)], late)).toBeUndefined();
  expect(saidOf([change("pvc-retention/own", 1_000, claim([]), kept)], late)).toBeUndefined();
});

test("a pod that a user makes, and a change of a pod, are no replica's beginning", () => {
  const condemned = change(condemn, 1_000, kept, given);
  expect(saidOf([condemned], change("user", 5_000, undefined, pod))).toBeUndefined();
  expect(saidOf([condemned], change("kubernetes", 5_000, pod, pod))).toBeUndefined();
});
