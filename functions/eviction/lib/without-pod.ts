import { hasFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { isMovingDamaged, readMoving } from "./agent-plan.ts";
import { damageOf, readRecord } from "./compute-node.ts";
import type { Dependent } from "./dependent.ts";
import { NovaComputeNode } from "./kinds.ts";
import { finalizerOf } from "./names.ts";
import { hasLock, lockOf, maintenanceLabel, maintenanceOf } from "./node-lock.ts";

/** Whether the Node lets the pod of a resource come: by its label, and with the lock of the resource. */
export const admits = (node: KubernetesObject | undefined, object: KubernetesObject): boolean =>
  node !== undefined && maintenanceOf(node) === "False" && hasLock(node, lockOf(object));

/** Whether the Node lets a pod come that is not there yet. */
const mayCome = ({ object, node, pods, inTheWay }: Dependent): boolean =>
  pods.length === 0 && !inTheWay && admits(node, object) && hasFinalizer(object, finalizerOf(object));

/** Whether a pod is to come to the Node now: until it is there, nothing serves. None comes of a resource that goes. */
export const isComing = (resource: Dependent): boolean => resource.wanted !== "go" && mayCome(resource);

/** Why a resource has no pod on its Node, as a sentence; `undefined` where it has one, or needs none any more. */
export function whyWithoutPod(resource: Dependent): string | undefined {
  const { object, node, pods, inTheWay, wanted } = resource;
  if (pods.length > 0) return undefined;
  if (inTheWay) return inTheWay;
  if (mayCome(resource) && wanted === "go") return undefined;
  if (isComing(resource))
    return object.spec.selector
      ? "Another operator creates its pod on the Node. If this takes long, look at that operator, and whether its " +
          "pods have the labels of spec.selector."
      : "Holdfast creates its pod on the Node. If this takes long, look at the Events of this resource.";
  if (!node) return `The Node does not exist. The pod comes when it is there, with ${maintenanceLabel}=False.`;
  const label = maintenanceOf(node) ?? "absent";
  if (label === "False")
    return (
      "The pod comes when the function eviction/lock-node has set the finalizer of this resource and the lock on the " +
      "Node. If this takes long, look at the log of this function."
    );
  return (
    `The label ${maintenanceLabel} of the Node is ${label}, and the pod comes only when it is False. Holdfast sets ` +
    "False when the NeutronL2Agent or NeutronOVNAgent of the Node is Ready. If the Node has neither, set it yourself."
  );
}

/**
 * What keep-pod says in the condition Converged, as a sentence: not of a pod that is coming, because no event is sent
 * when it has come, and the rules of the eviction look again. Where this is `undefined`, the rules of the eviction
 * write that condition, and keep-pod does not: two writers would undo, and wake, each other without end. All of them
 * ask this function. It depends on Kubernetes alone, because OpenStack may answer one of them and not the other.
 */
export function saidByKeepPod(resource: Dependent): string | undefined {
  const { object, wanted, unmanaged } = resource;
  // If it is forced down, or what it serves moves, the rules of the eviction say so, and why its pod is not there.
  const isBeside =
    object.kind === NovaComputeNode.kind
      ? (readRecord(object)?.hard ?? damageOf(object))
      : (readMoving(object) ?? isMovingDamaged(object));
  return unmanaged || wanted !== "stay" || isBeside || isComing(resource) ? undefined : whyWithoutPod(resource);
}
