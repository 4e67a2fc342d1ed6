import type { Reflection } from "../../../eventing/watch/reflect.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { type ClaimUse, claimsOf } from "../../../shared/storage/pod-claims.ts";
import type { NodeObject } from "../objects/node.ts";
import type { PodObject } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";
import { bindCompleted, hasAnnotation } from "../volume-binder/annotations.ts";
import { type BinderCaches, waitsForConsumer } from "../volume-binder/caches.ts";

/** The claims of a pod that can be scheduled, as far as its claims are concerned. */
export interface PodClaims {
  bound: ClaimObject[];
  /** Their volumes are chosen, or made, for the node. */
  unbound: ClaimObject[];
}

/** Looks up a pod's claims in the cache, and says as the scheduler does why the pod can be on no node. */
export function checkClaims(pod: PodObject, caches: SchedulerCaches): PodClaims | string {
  const found: ClaimObject[] = [];
  for (const use of claimsOf(pod)) {
    const claim = caches.claims.get(pod.metadata.namespace, use.claim);
    const problem = claim ? problemOf(pod, claim, use) : missing(use);
    if (problem || !claim) return problem ?? "";
    found.push(claim);
  }
  const bound = found.filter((claim) => claim.spec.volumeName && hasAnnotation(claim, bindCompleted));
  const unbound = found.filter((claim) => !bound.includes(claim));
  return unbound.every((claim) => waitsForConsumer(claim, caches))
    ? { bound, unbound }
    : "pod has unbound immediate PersistentVolumeClaims";
}

function missing({ claim, ephemeral }: ClaimUse): string {
  if (!ephemeral) return `persistentvolumeclaim "${claim}" not found`;
  return `waiting for ephemeral volume controller to create the persistentvolumeclaim "${claim}"`;
}

function problemOf(pod: PodObject, claim: ClaimObject, { ephemeral }: ClaimUse): string | undefined {
  const { namespace, name, ownerReferences = [] } = claim.metadata;
  if (claim.status?.phase === "Lost") {
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName}"`;
  }
  if (isBeingDeleted(claim)) return `persistentvolumeclaim "${name}" is being deleted`;
  if (ephemeral && !ownerReferences.some((owner) => owner.controller && owner.uid === pod.metadata.uid)) {
    return `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`;
  }
  return undefined;
}

/** What the scheduler knows of the cluster, a little behind the truth. */
export interface SchedulerCaches extends BinderCaches {
  pods: Reflection<PodObject>;
  nodes: Reflection<NodeObject>;
}
