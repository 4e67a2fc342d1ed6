import { hasFinalizer } from "../kubernetes/finalizer.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { progressKey } from "../progress.ts";
import { graceKey, policyKey } from "./policy.ts";

/** On sets whose claims go with them: their deletion waits until it is seen to what becomes of the claims. */
export const retentionFinalizer = "holdfast.dev/pvc-retention";

/** On claims: when a claim that is kept for a while is deleted (RFC 3339). */
export const deleteAtKey = "holdfast.dev/pvc-delete-at";

/**
 * Whether anything on the set speaks of PVC retention: a policy of its own, or what one of the rules has left there. `project`
 * leaves its progress on every set that has a policy, also by its namespace, and changes it with the policy: an
 * update of a set without traces concerns no other rule.
 */
export function hasTraces(set: KubernetesObject): boolean {
  const annotations = Object.keys(set.metadata.annotations ?? {});
  return (
    hasFinalizer(set, retentionFinalizer) ||
    annotations.some((key) => key === policyKey || key === graceKey || isRetentionProgress(key))
  );
}

/** Whether an annotation is the progress of a rule of PVC retention. */
export function isRetentionProgress(key: string): boolean {
  return key.startsWith(progressKey("pvc-retention/"));
}
