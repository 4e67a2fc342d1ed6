import { addFinalizers, hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import { send } from "../../../shared/kubernetes/write.ts";
import { claimsOf } from "../../../shared/storage/pod-claims.ts";
import { inTreeProtection } from "../../../shared/storage/protection.ts";
import type { ControllerTools, Running } from "../controller.ts";
import { startObjectQueue } from "../object-queue.ts";
import { isTerminated, type PodObject } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";
import { podUsesClaim } from "./pod-uses-claim.ts";

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
