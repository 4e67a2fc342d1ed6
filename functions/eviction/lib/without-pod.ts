import { hasFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readRecord } from "./compute-node.ts";
import type { Dependent } from "./dependent.ts";
import { NovaComputeNode } from "./kinds.ts";
import { readMoving } from "./moving-record.ts";
import { finalizerOf } from "./names.ts";
import { hasLock, lockOf, maintenanceLabel, maintenanceOf } from "./node-lock.ts";

/** Whether the Node lets the pod of a resource come: by its label, and with the lock of the resource. */
export const admits = (node: KubernetesObject | undefined, object: KubernetesObject): boolean =>
  node !== undefined && maintenanceOf(node) === "False" && hasLock(node, lockOf(object));

/** Why a resource has no pod on its Node, and gets none now, as a sentence; `undefined` where it has or gets one. */
export function whyWithoutPod({ object, node, pods, inTheWay }: Dependent): string | undefined {
  if (pods.length > 0) return undefined;
  if (inTheWay) return inTheWay;
  if (admits(node, object) && hasFinalizer(object, finalizerOf(object))) return undefined;
  const label = node ? (maintenanceOf(node) ?? "absent") : "that of a Node that does not exist";
  return (
    `The label ${maintenanceLabel} of the Node is ${label}. The pod is created when it is False. The owner of the ` +
    "L2 or OVN agent sets it when that agent is ready."
  );
}

/**
 * What keep-pod says in the condition Converged, as a sentence. Where this is `undefined`, the rules of the eviction
 * write that condition, and nothing else does: two writers would undo, and wake, each other without end. So all of them
 * ask this, and it depends on Kubernetes alone, which answers all of them.
 */
export function saidByKeepPod(resource: Dependent): string | undefined {
  const { object, wanted, foreign } = resource;
  // What is forced down, and what moves, is more than why its pod is not there; who says it adds that.
  const isBeside = object.kind === NovaComputeNode.kind ? readRecord(object)?.hard : readMoving(object);
  return foreign || wanted !== "stay" || isBeside ? undefined : whyWithoutPod(resource);
}
