import { isDeepStrictEqual } from "node:util";
import { keyOf } from "../../../eventing/watch/reflect.ts";
import { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { matchesLabelSelector } from "../../../shared/kubernetes/label-selector.ts";
import { type ControllerTools, type Running, splitKey } from "../controller.ts";
import type { PodObject } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";
import { startWorkQueue } from "../work-queue.ts";
import { trackOwnWrites } from "./own-writes.ts";
import { controllerOf } from "./pods.ts";
import type { RevisionObject, SetObject } from "./set.ts";
import type { SetTools } from "./set-tools.ts";
import { syncSet } from "./sync-set.ts";

/** Milliseconds after which a cache that does not show our writes is believed all the same. */
const patience = 60_000;

/**
 * Kubernetes' StatefulSet controller: pods with a name and claims of their own. A change of a set or of one of its pods
 * leads to another look; a change of a claim does not, as in Kubernetes: a set that waits for a claim to go does not
 * see when it has gone.
 */
export function startStatefulSets(base: ControllerTools): Running {
  const { clock, signal, reflections, trouble } = base;
  const sets = reflections.of<SetObject>(StatefulSet);
  const pods = reflections.of<PodObject>(Pod);
  const claims = reflections.of<ClaimObject>(PersistentVolumeClaim);
  const revisions = reflections.of<RevisionObject>(ControllerRevision);
  const synced = Promise.all([sets.synced, pods.synced, claims.synced, revisions.synced]);
  const caches = [[StatefulSet, sets] as const, [Pod, pods] as const, [PersistentVolumeClaim, claims] as const];
  const writes = trackOwnWrites(caches, (key) => queue.add(key));
  const tools: SetTools = { ...base, sets, pods, claims, revisions, writes };
  /** Since when sets wait for the caches. */
  const waiting = new Map<string, number>();

  const queue = startWorkQueue({
    clock,
    signal,
    ready: synced,
    workers: 5,
    async work(key) {
      const { namespace, name } = splitKey(key);
      const set = sets.get(namespace, name);
      if (!set) {
        waiting.delete(key);
        return writes.forget(key);
      }
      if (writes.isBehind(key)) {
        const since = waiting.get(key) ?? clock.now();
        waiting.set(key, since);
        const wait = since + patience - clock.now();
        if (wait > 0) return queue.addAfter(key, wait);
        writes.forget(key);
      }
      waiting.delete(key);
      await syncSet(tools, set);
    },
    failed: (subject, error) => trouble({ controller: "statefulset-controller", subject, error }),
  });

  /** Wakes the set that controls a pod or, of a pod without a controller, every set that might take it in. */
  function trigger(pod: PodObject): void {
    const { namespace, labels } = pod.metadata;
    const controller = controllerOf(pod);
    const set = controller?.kind === StatefulSet.kind ? sets.get(namespace, controller.name) : undefined;
    if (set && set.metadata.uid === controller?.uid) queue.add(keyOf(set));
    if (controller) return;
    for (const set of sets.list(namespace)) if (matchesLabelSelector(set.spec.selector, labels)) queue.add(keyOf(set));
  }

  sets.on((_, set) => queue.add(keyOf(set)));
  pods.on((change, pod, old) => {
    const controller = controllerOf(pod);
    const released = change === "update" && old && !isDeepStrictEqual(controllerOf(old), controller);
    if (released && controllerOf(old)) trigger(old);
    if (controller || change === "add") trigger(pod);
    else if (released || (change === "update" && !isDeepStrictEqual(old?.metadata.labels, pod.metadata.labels)))
      trigger(pod);
  });
  return { synced };
}
