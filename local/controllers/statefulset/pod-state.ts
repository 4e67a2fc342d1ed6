import { conditionOf } from "../objects/condition.ts";
import type { PodObject } from "../objects/pod.ts";

/** Whether the API server knows the pod; otherwise it is only meant to be. */
export function isCreated(pod: PodObject): boolean {
  return pod.status?.phase !== undefined;
}

export function isReady(pod: PodObject): boolean {
  return conditionOf(pod.status?.conditions, "Ready")?.status === "True";
}

export function isRunningAndReady(pod: PodObject): boolean {
  return pod.status?.phase === "Running" && isReady(pod);
}
