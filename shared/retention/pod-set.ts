import type { KubernetesObject } from "../kubernetes/object.ts";
import { claimsOf } from "../storage/pod-claims.ts";

/**
 * The name of the set that a pod belongs to, or belonged to by its name (`<set>-<ordinal>`), where nothing else is known of it;
 * `undefined` when it is no pod of a set, or has no claims.
 */
export function setOfPod(name: string, pod: KubernetesObject | undefined): string | undefined {
  if (pod && claimsOf(pod).length === 0) return undefined;
  const controller = pod?.metadata.ownerReferences?.find(({ controller }) => controller);
  if (controller)
    return controller.kind === "StatefulSet" && controller.apiVersion === "apps/v1" ? controller.name : undefined;
  return /^(.+)-[0-9]+$/.exec(name)?.[1];
}

/** Whether a pod is controlled by this very set. */
export function isPodOf(set: KubernetesObject, pod: KubernetesObject): boolean {
  return (pod.metadata.ownerReferences ?? []).some(({ controller, uid }) => controller && uid === set.metadata.uid);
}
