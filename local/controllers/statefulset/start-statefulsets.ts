import { isDeepStrictEqual } from "node:util";
import { keyOf } from "../../../eventing/watch/reflect.ts";
import { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { matchesLabelSelector } from "../../../shared/kubernetes/label-selector.ts";
import type { ControllerTools, Running } from "../controller.ts";
import { startObjectQueue } from "../object-queue.ts";
import type { PodObject } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";
import { controllerOf } from "./pods.ts";
import type { RevisionObject, SetObject } from "./set.ts";
import type { SetTools } from "./set-tools.ts";
import { syncSet } from "./sync-set.ts";

/**
 * Kubernetes' StatefulSet controller: pods with a name and claims of their own. A change of a set or of one of its pods
 * leads to another look; a change of a claim does not, as in Kubernetes: a set that waits for a claim to go does not
 * see when it has gone.
 */
export function startStatefulSets(base: ControllerTools): Running {
  const { reflections } = base;
  const sets = reflections.of<SetObject>(StatefulSet);
  const pods = reflections.of<PodObject>(Pod);
  const claims = reflections.of<ClaimObject>(PersistentVolumeClaim);
  const revisions = reflections.of<RevisionObject>(ControllerRevision);
  const tools: SetTools = { ...base, pods, claims, revisions };

  const queue = startObjectQueue(base, {
    controller: "statefulset-controller",
    objects: sets,
    reads: [pods, claims, revisions],
    workers: 5,
    work: (set) => syncSet(tools, set),
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

  pods.on((change, pod, old) => {
    const controller = controllerOf(pod);
    const released = change === "update" && old && !isDeepStrictEqual(controllerOf(old), controller);
    if (released && controllerOf(old)) trigger(old);
    if (controller || change === "add") trigger(pod);
    else if (released || (change === "update" && !isDeepStrictEqual(old?.metadata.labels, pod.metadata.labels)))
      trigger(pod);
  });
  return queue;
}
