import { keyOf } from "../../eventing/watch/reflect.ts";
import { isBeingDeleted } from "../../shared/kubernetes/finalizer.ts";
import { Node, Pod } from "../../shared/kubernetes/kind.ts";
import { timestamp } from "../../shared/kubernetes/timestamp.ts";
import type { ControllerTools, Running } from "./controller.ts";
import { guardedPatch } from "./guarded-patch.ts";
import { startObjectQueue } from "./object-queue.ts";
import { type Condition, withConditions } from "./objects/condition.ts";
import { isFinished, type PodObject } from "./objects/pod.ts";
import type { WorkQueue } from "./work-queue.ts";

/** Milliseconds for which a node must be missing before its pods are given up. */
const quarantine = 40_000;

/**
 * Deletes by force the pods that no kubelet will ever delete: those of a node that no longer exists, and those being
 * deleted without a node.
 */
export function startPodGc(tools: ControllerTools): Running {
  const { client, clock, reflections } = tools;
  const pods = reflections.of<PodObject>(Pod);
  const nodes = reflections.of(Node);
  /** Since when pods were seen on a node that is not there. */
  const missing = new Map<string, number>();

  const queue: WorkQueue & Running = startObjectQueue(tools, {
    controller: "pod-garbage-collector-controller",
    objects: pods,
    reads: [nodes],
    async work(pod, key) {
      const { nodeName } = pod.spec;
      if (!nodeName && isBeingDeleted(pod)) return remove(pod);
      if (!nodeName || nodes.get(undefined, nodeName)) return;

      const since = missing.get(nodeName) ?? clock.now();
      missing.set(nodeName, since);
      const wait = since + quarantine - clock.now();
      if (wait > 0) return queue.addAfter(key, wait);
      if (!(await client.get(Node, undefined, nodeName))) await remove(pod, orphaned);
    },
  });

  async function remove(pod: PodObject, ...changes: Condition[]): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    if (!isFinished(pod)) {
      const conditions = withConditions(pod.status?.conditions, changes, timestamp(clock.now()));
      await guardedPatch(client, Pod, pod, { status: { phase: "Failed", conditions } }, "status");
    }
    // A pod that only its finalizers keep cannot be deleted any further.
    if (isBeingDeleted(pod) && pod.metadata.deletionGracePeriodSeconds === 0) return;
    await client.delete(Pod, namespace, name, { uid, gracePeriodSeconds: 0 });
  }

  nodes.on((_, node) => {
    missing.delete(node.metadata.name);
    for (const pod of pods.list()) if (pod.spec.nodeName === node.metadata.name) queue.add(keyOf(pod));
  });
  return queue;
}

/** It says of a pod, before it is deleted, that Kubernetes takes it away. */
const orphaned: Condition = {
  type: "DisruptionTarget",
  status: "True",
  reason: "DeletionByPodGC",
  message: "PodGC: node no longer exists",
};
