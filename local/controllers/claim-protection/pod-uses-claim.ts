import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { type ClaimUse, claimsOf } from "../../../shared/storage/pod-claims.ts";
import type { PodObject } from "../objects/pod.ts";

/**
 * Whether a pod keeps a claim from going, as pvc_protection_controller.go judges it: the pod has a node, and it names
 * the claim, in any phase; or the claim is that of an ephemeral volume, belongs to the pod, and the pod is not
 * shut down.
 */
export function podUsesClaim(pod: PodObject, claim: KubernetesObject): boolean {
  if (!pod.spec.nodeName) return false;
  return claimsOf(pod).some((use) => holds(pod, claim, use));
}

function holds(pod: PodObject, claim: KubernetesObject, use: ClaimUse): boolean {
  if (use.claim !== claim.metadata.name) return false;
  return !use.ephemeral || (controls(pod, claim) && !isShutDown(pod));
}

function controls(pod: PodObject, claim: KubernetesObject): boolean {
  return (claim.metadata.ownerReferences ?? []).some(({ controller, uid }) => controller && uid === pod.metadata.uid);
}

/** Otherwise a pod with a finalizer and its ephemeral volume's claim would wait for each other. */
function isShutDown({ metadata }: PodObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}
