import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { guardedPatch } from "../guarded-patch.ts";
import { conditionOf } from "../objects/condition.ts";
import type { PodObject } from "../objects/pod.ts";
import type { Revisions } from "./history.ts";
import { revisionLabel } from "./make-pod.ts";
import type { Member } from "./pods.ts";
import type { SetObject, SetStatus } from "./set.ts";
import type { SetTools } from "./set-tools.ts";

/** The status of a set with all counts. */
export type Status = Required<SetStatus>;

/** Counts a set's pods. One that is ready is available. */
export function statusOf(set: SetObject, { current, update }: Revisions, members: readonly Member[]): Status {
  const pods = members.map(({ pod }) => pod).filter(isCreated);
  const ready = pods.filter(isRunningAndReady);
  const staying = pods.filter((pod) => !isBeingDeleted(pod));
  const of = (revision: string) =>
    staying.filter(({ metadata }) => metadata.labels?.[revisionLabel] === revision).length;
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.length,
    currentReplicas: of(current.metadata.name),
    updatedReplicas: of(update.metadata.name),
    currentRevision: current.metadata.name,
    updateRevision: update.metadata.name,
  };
}

/** Writes a status if it says anything new; a rollout that has reached every pod is complete with it. */
export async function writeStatus({ client }: SetTools, set: SetObject, counted: Status): Promise<void> {
  const status = completed(set, counted);
  if (!hasChanged(set.status, status)) return;
  // What counts nothing is left out, as Kubernetes' own types do; no controller writes conditions here.
  const { replicas, availableReplicas, ...optional } = status;
  const written = Object.entries(optional).map(([field, value]) => [field, value || null]);
  const whole = { conditions: null, replicas, availableReplicas, collisionCount: 0, ...Object.fromEntries(written) };
  await guardedPatch(client, StatefulSet, set, { status: whole }, "status");
}

function completed({ spec }: SetObject, status: Status): Status {
  const { replicas, readyReplicas, updatedReplicas, updateRevision } = status;
  const done = [replicas, readyReplicas, updatedReplicas].every((count) => count === spec.replicas);
  if (!done || spec.updateStrategy.type !== "RollingUpdate") return status;
  return { ...status, currentReplicas: updatedReplicas, currentRevision: updateRevision };
}

function hasChanged(before: SetStatus | undefined, status: Status): boolean {
  if (status.observedGeneration > (before?.observedGeneration ?? 0)) return true;
  const { observedGeneration: _, ...rest } = status;
  return (Object.keys(rest) as (keyof typeof rest)[]).some((field) => (before?.[field] || 0) !== (rest[field] || 0));
}

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
