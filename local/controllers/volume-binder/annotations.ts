import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/** On a claim: binding is complete; the claim is lost when its volume goes. */
export const bindCompleted = "pv.kubernetes.io/bind-completed";
/** On a claim or a volume: it was the controller that chose the other. */
export const boundByController = "pv.kubernetes.io/bound-by-controller";
/** On a volume: who made it. */
export const provisionedBy = "pv.kubernetes.io/provisioned-by";
/** On a claim of a WaitForFirstConsumer class: the node of its first pod, as the scheduler chose it. */
export const selectedNode = "volume.kubernetes.io/selected-node";
/** On a claim: who is to make a volume for it, under the present and the former name of the annotation. */
export const storageProvisioner = [
  "volume.kubernetes.io/storage-provisioner",
  "volume.beta.kubernetes.io/storage-provisioner",
] as const;

export function hasAnnotation(object: KubernetesObject, annotation: string): boolean {
  return object.metadata.annotations?.[annotation] !== undefined;
}
