import { keyOf } from "../../../eventing/watch/reflect.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node, Pod } from "../../../shared/kubernetes/kind.ts";
import { findToleration } from "../../../shared/kubernetes/toleration.ts";
import type { ControllerTools, Running } from "../controller.ts";
import { guardedPatch } from "../guarded-patch.ts";
import { startObjectQueue } from "../object-queue.ts";
import { disruption, withConditions } from "../objects/condition.ts";
import type { NodeObject, NodeTaint } from "../objects/node.ts";
import type { PodObject } from "../objects/pod.ts";
import { timestamp } from "../timestamp.ts";

/**
 * Deletes pods from nodes with `NoExecute` taints: at once, or when the time for which they tolerate the taint is over.
 */
export function startTaintEviction(tools: ControllerTools): Running {
  const { client, clock, reflections, record } = tools;
  const pods = reflections.of<PodObject>(Pod);
  const nodes = reflections.of<NodeObject>(Node);
  const synced = Promise.all([pods.synced, nodes.synced]);
  const queue = startObjectQueue(tools, {
    controller: "taint-eviction-controller",
    objects: pods,
    ready: synced,
    async work(pod, key) {
      const node = nodes.get(undefined, pod.spec.nodeName ?? "");
      if (!node || isBeingDeleted(pod)) return;
      const due = Math.min(...noExecuteTaints(node).map((taint) => endOfToleration(pod, taint)));
      if (due === Number.POSITIVE_INFINITY) return;
      const wait = due - clock.now();
      if (wait > 0) queue.addAfter(key, wait);
      else await evict(pod);
    },
  });

  async function evict(pod: PodObject): Promise<void> {
    const conditions = withConditions(pod.status?.conditions, [disrupted], timestamp(clock.now()));
    const marked = await guardedPatch(client, Pod, pod, { status: { conditions } }, "status");
    if (!marked) return;
    const { namespace, name, uid } = pod.metadata;
    const note = `Marking for deletion Pod ${namespace}/${name}`;
    record(pod, { type: "Normal", reason: "TaintManagerEviction", note, by: "taint-eviction-controller" });
    await client.delete(Pod, namespace, name, { uid });
  }

  pods.on((change, pod) => {
    const node = nodes.get(undefined, pod.spec.nodeName ?? "");
    if (change !== "delete" && node && noExecuteTaints(node).length) queue.add(keyOf(pod));
  });
  nodes.on((change, node) => {
    if (change === "delete" || !noExecuteTaints(node).length) return;
    for (const pod of pods.list()) if (pod.spec.nodeName === node.metadata.name) queue.add(keyOf(pod));
  });
  return { synced };
}

const disrupted = disruption("DeletionByTaintManager", "NodeTaint manager: deleting due to NoExecute taint");

function noExecuteTaints({ spec }: NodeObject): NodeTaint[] {
  return (spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
}

/**
 * When a pod may no longer stay, in milliseconds since the epoch: 0 without a toleration, never with an unlimited one.
 */
function endOfToleration(pod: PodObject, taint: NodeTaint): number {
  const toleration = findToleration(pod.spec.tolerations, taint);
  if (!toleration) return 0;
  if (toleration.tolerationSeconds === undefined) return Number.POSITIVE_INFINITY;
  return Date.parse(taint.timeAdded ?? "") + toleration.tolerationSeconds * 1000;
}
