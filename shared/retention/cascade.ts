import { isBeingDeleted } from "../kubernetes/finalizer.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { readProgress } from "../progress.ts";

/** The rule that finds out how a set's deletion was asked for, and writes it down on the set. */
export const deletingRule = "pvc-retention/bequeath";

/** Its step on a set that is being deleted and whose claims are to go with it. */
export const cascading = "cascading";

/** Whether the set is being deleted, and it was proven that its claims are to go with it. */
export function isCascading(set: KubernetesObject): boolean {
  return isBeingDeleted(set) && readProgress(set, deletingRule)?.step === cascading;
}
