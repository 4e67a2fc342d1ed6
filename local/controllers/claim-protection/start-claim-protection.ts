import { addFinalizers, hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import { send } from "../../../shared/kubernetes/write.ts";
import { claimsOf } from "../../../shared/storage/pod-claims.ts";
import { inTreeProtection } from "../../../shared/storage/protection.ts";
import type { ControllerTools, Running } from "../controller.ts";
import { isTerminated, type PodObject } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";
import { startWorkQueue } from "../work-queue.ts";
import { podUsesClaim } from "./pod-uses-claim.ts";

/**
 * Kubernetes' own PVC protection: puts `kubernetes.io/pvc-protection` on claims that lack it, and takes it off a claim
 * being deleted once neither the cache nor one live list of the namespace's pods shows a user. Claims of one namespace
 * that wait at the same time share that list, as they do since 1.32.
 */
export function startClaimProtection(tools: ControllerTools): Running {
  const { client, clock, signal, reflections, trouble } = tools;
  const claims = reflections.of<ClaimObject>(PersistentVolumeClaim);
  const pods = reflections.of<PodObject>(Pod);
  const synced = Promise.all([claims.synced, pods.synced]);
  /** Names of claims that need a look, by namespace. */
  const waiting = new Map<string, Set<string>>();

  const queue = startWorkQueue({
    clock,
    signal,
    ready: synced,
    work: judgeNamespace,
    failed: (subject, error) => trouble({ controller: "persistentvolumeclaim-protection-controller", subject, error }),
  });

  function enqueue(namespace = "", name: string): void {
    waiting.set(namespace, (waiting.get(namespace) ?? new Set()).add(name));
    queue.add(namespace);
  }

  async function judgeNamespace(namespace: string): Promise<void> {
    const names = waiting.get(namespace) ?? new Set();
    waiting.delete(namespace);
    const cached = indexByClaim(pods.list(namespace));
    let listed: Promise<PodsByClaim> | undefined;
    const live = () => {
      // A list that failed is not shared: the next claim may have more luck.
      listed ??= Array.fromAsync(client.list<PodObject>(Pod, { namespace })).then(indexByClaim, (error) => {
        listed = undefined;
        throw error;
      });
      return listed;
    };
    const failures: unknown[] = [];
    for (const name of names) {
      const claim = claims.get(namespace, name);
      if (!claim) continue;
      await judge(claim, cached, live).catch((error) => {
        failures.push(error);
        waiting.set(namespace, (waiting.get(namespace) ?? new Set()).add(name));
      });
    }
    if (failures.length) throw failures[0];
  }

  async function judge(claim: ClaimObject, cached: PodsByClaim, live: () => Promise<PodsByClaim>): Promise<void> {
    const held = hasFinalizer(claim, inTreeProtection);
    if (!isBeingDeleted(claim)) {
      if (!held) await send(client, addFinalizers(PersistentVolumeClaim, claim, [inTreeProtection]));
      return;
    }
    const isUsed = (byClaim: PodsByClaim) =>
      byClaim.get(claim.metadata.name)?.some((pod) => podUsesClaim(pod, claim)) ?? false;
    if (!held || isUsed(cached)) return;
    // The cache may not have seen a pod yet that was bound just now: kubernetes#76703.
    if (isUsed(await live())) return;
    await send(client, removeFinalizer(PersistentVolumeClaim, claim, inTreeProtection));
  }

  claims.on((change, claim) => {
    const needsLook = isBeingDeleted(claim) === hasFinalizer(claim, inTreeProtection);
    if (change !== "delete" && needsLook) enqueue(claim.metadata.namespace, claim.metadata.name);
  });
  pods.on((change, pod) => {
    // While a pod has a node and something of it runs it keeps its claims: nothing can have become free.
    if (change !== "delete" && pod.spec.nodeName && !isTerminated(pod)) return;
    for (const { claim } of claimsOf(pod)) enqueue(pod.metadata.namespace, claim);
  });
  return { synced };
}

/** Pods by the names of the claims they name. */
type PodsByClaim = ReadonlyMap<string, readonly PodObject[]>;

function indexByClaim(pods: readonly PodObject[]): PodsByClaim {
  const index = new Map<string, PodObject[]>();
  for (const pod of pods) {
    for (const { claim } of claimsOf(pod)) {
      const known = index.get(claim);
      if (known) known.push(pod);
      else index.set(claim, [pod]);
    }
  }
  return index;
}
