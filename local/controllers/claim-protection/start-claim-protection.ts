import { addFinalizers, hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { send } from "../../../shared/kubernetes/write.ts";
import { type ClaimUse, claimsOf } from "../../../shared/storage/pod-claims.ts";
import { inTreeProtection } from "../../../shared/storage/protection.ts";
import type { ControllerTools, Running } from "../controller.ts";
import { startObjectQueue } from "../object-queue.ts";
import { isTerminated, type PodObject } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";

/**
 * Kubernetes' own PVC protection: puts `kubernetes.io/pvc-protection` on claims that lack it, and takes it off a claim
 * being deleted once neither the cache nor a live list of the namespace's pods shows a user.
 */
export function startClaimProtection(tools: ControllerTools): Running {
  const { client, reflections } = tools;
  const claims = reflections.of<ClaimObject>(PersistentVolumeClaim);
  const pods = reflections.of<PodObject>(Pod);

  const queue = startObjectQueue(tools, {
    controller: "persistentvolumeclaim-protection-controller",
    objects: claims,
    reads: [pods],
    concerns: (claim) => isBeingDeleted(claim) === hasFinalizer(claim, inTreeProtection),
    async work(claim) {
      const held = hasFinalizer(claim, inTreeProtection);
      if (!isBeingDeleted(claim)) {
        if (!held) await send(client, addFinalizers(PersistentVolumeClaim, claim, [inTreeProtection]));
        return;
      }
      const { namespace = "" } = claim.metadata;
      const isUsedBy = (pod: PodObject) => podUsesClaim(pod, claim);
      if (!held || pods.list(namespace).some(isUsedBy)) return;
      // The cache may not have seen a pod yet that was bound just now: kubernetes#76703.
      for await (const pod of client.list<PodObject>(Pod, { namespace })) if (isUsedBy(pod)) return;
      await send(client, removeFinalizer(PersistentVolumeClaim, claim, inTreeProtection));
    },
  });

  pods.on((change, pod) => {
    // While a pod has a node and something of it runs it keeps its claims: nothing can have become free.
    if (change !== "delete" && pod.spec.nodeName && !isTerminated(pod)) return;
    for (const { claim } of claimsOf(pod)) queue.add(`${pod.metadata.namespace}/${claim}`);
  });
  return queue;
}

/**
 * Whether a pod keeps a claim from going, as pvc_protection_controller.go judges it: the pod has a node, and it names
 * the claim, in any phase; or the claim is that of an ephemeral volume, belongs to the pod, and the pod is not
 * shut down.
 */
function podUsesClaim(pod: PodObject, claim: KubernetesObject): boolean {
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
