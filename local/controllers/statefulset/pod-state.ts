import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { conditionOf } from "../objects/condition.ts";
import type { PodObject } from "../objects/pod.ts";

/** Whether the API server knows the pod; otherwise it is only meant to be. */
export function isCreated(pod: PodObject): boolean {
  return pod.status?.phase !== undefined;
}

export function isRunningAndReady(pod: PodObject): boolean {
  return pod.status?.phase === "Running" && readySince(pod) !== undefined;
}

/** Milliseconds until a ready pod has been ready for long enough, 0 when it has; `undefined` when it is not ready. */
export function availableIn(pod: PodObject, minReadySeconds: number, now: number): number | undefined {
  const since = readySince(pod);
  return since === undefined ? undefined : Math.max(0, minReadySeconds && since + minReadySeconds * 1000 - now);
}

/** Whether a pod cannot be counted on: not ready for long enough, or on its way out. */
export function isUnavailable(pod: PodObject, minReadySeconds: number, now: number): boolean {
  return isBeingDeleted(pod) || availableIn(pod, minReadySeconds, now) !== 0;
}

function readySince(pod: PodObject): number | undefined {
  const ready = conditionOf(pod.status?.conditions, "Ready");
  return ready?.status === "True" ? Date.parse(ready.lastTransitionTime ?? "") || 0 : undefined;
}
