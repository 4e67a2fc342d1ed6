import { ApiError } from "../../../shared/kubernetes/api-error.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod, pathOf } from "../../../shared/kubernetes/kind.ts";
import { timestamp } from "../../../shared/kubernetes/timestamp.ts";
import type { ControllerTools } from "../controller.ts";
import { guardedPatch } from "../guarded-patch.ts";
import { conditionOf } from "../objects/condition.ts";
import type { NodeObject } from "../objects/node.ts";
import type { PodObject } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";
import { boundByController, hasAnnotation, selectedNode } from "../volume-binder/annotations.ts";
import { findVolume, isFor } from "../volume-binder/match-volume.ts";
import type { SchedulerCaches } from "./check-claims.ts";

const by = "default-scheduler";

/** Binds a pod to a node. A pod that is gone, or was bound by another client meanwhile, is left as it is. */
export async function bindPod({ client, record }: ControllerTools, pod: PodObject, node: string): Promise<void> {
  const { namespace, name, uid } = pod.metadata;
  const target = { apiVersion: "v1", kind: "Node", name: node };
  const binding = { apiVersion: "v1", kind: "Binding", metadata: { namespace, name, uid }, target };
  try {
    await client.request("POST", pathOf(Pod, namespace, name, "binding"), binding);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 409)) return;
    throw error;
  }
  const note = `Successfully assigned ${namespace}/${name} to ${node}`;
  record(pod, { type: "Normal", reason: "Scheduled", action: "Binding", note, by });
}

/** Has the volumes of claims that waited for this pod chosen or made for its node; the pod is bound once they are. */
export async function requestVolumes(
  { client }: ControllerTools,
  claims: readonly ClaimObject[],
  node: NodeObject,
  caches: SchedulerCaches,
): Promise<void> {
  for (const claim of claims) {
    if (hasAnnotation(claim, selectedNode)) continue;
    const volume = findVolume(claim, caches.volumes.list(), { node });
    if (volume && isFor(volume, claim)) continue;
    const { apiVersion, kind, metadata } = claim;
    const { namespace, name, uid, resourceVersion } = metadata;
    if (volume) {
      const claimRef = { apiVersion, kind, namespace, name, uid, resourceVersion };
      const annotations = { [boundByController]: "yes" };
      await guardedPatch(client, PersistentVolume, volume, { metadata: { annotations }, spec: { claimRef } });
    } else {
      const annotations = { [selectedNode]: node.metadata.name };
      await guardedPatch(client, PersistentVolumeClaim, claim, { metadata: { annotations } });
    }
  }
}

/** Shows on a pod, as a condition and as an Event, why it can be on no node. */
export async function showUnschedulable(
  { client, clock, record }: ControllerTools,
  pod: PodObject,
  message: string,
): Promise<void> {
  record(pod, { type: "Warning", reason: "FailedScheduling", action: "Scheduling", note: message, by });
  const { namespace, name, uid, generation } = pod.metadata;
  const old = conditionOf(pod.status?.conditions, "PodScheduled");
  if (old?.status === "False" && old.reason === "Unschedulable" && old.message === message) return;
  const now = timestamp(clock.now());
  const condition = {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message,
    lastProbeTime: null,
    lastTransitionTime: old?.status === "False" ? (old.lastTransitionTime ?? now) : now,
    ...(generation ? { observedGeneration: generation } : {}),
  };
  const patch = { metadata: { uid }, status: { conditions: [condition] } };
  await client.patch(Pod, namespace, name, "strategic", patch, { subresource: "status" });
}
