import { Node, Pod } from "../../../shared/kubernetes/kind.ts";
import { Lease, type LeaseObject } from "../../../shared/kubernetes/lease.ts";
import type { ControllerTools, Running } from "../controller.ts";
import { guardedPatch } from "../guarded-patch.ts";
import { startObjectQueue } from "../object-queue.ts";
import { conditionOf, withConditions } from "../objects/condition.ts";
import { isReady, type NodeObject } from "../objects/node.ts";
import type { PodObject } from "../objects/pod.ts";
import { timestamp } from "../timestamp.ts";
import { taintsOf } from "./node-taints.ts";

/** Milliseconds without a heartbeat after which a node counts as lost; the default of kube-controller-manager. */
const grace = 50_000;

const conditionTypes = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/**
 * Watches over nodes: marks as Unknown what a node says once its Lease is no longer renewed, taints nodes as their
 * conditions and cordons demand, and marks the pods of a node that is not ready as not ready. A node without a Lease
 * never counts as lost.
 */
export function startNodeLifecycle(tools: ControllerTools): Running {
  const { client, clock, reflections, record } = tools;
  const nodes = reflections.of<NodeObject>(Node);
  const leases = reflections.of<LeaseObject>(Lease, { namespace: "kube-node-lease" });
  const pods = reflections.of<PodObject>(Pod);
  const synced = Promise.all([nodes.synced, leases.synced, pods.synced]);

  const queue = startObjectQueue(tools, {
    controller: "node-lifecycle-controller",
    objects: nodes,
    ready: synced,
    async work(node, name) {
      const now = timestamp(clock.now());
      const ready = conditionOf(node.status?.conditions, "Ready");
      const { renewTime } = leases.get("kube-node-lease", name)?.spec ?? {};
      if (renewTime && ready?.status !== "Unknown") {
        const heard = Math.max(Date.parse(renewTime), Date.parse(ready?.lastHeartbeatTime ?? renewTime));
        const wait = heard + grace - clock.now();
        if (wait > 0) queue.addAfter(name, wait);
        else return markLost(node, now);
      }
      const taints = taintsOf(node, now);
      if (taints !== node.spec?.taints && (taints.length || node.spec?.taints)) {
        await guardedPatch(client, Node, node, { spec: { taints } });
        return;
      }
      if (ready && !isReady(node)) await markPods(name, now);
    },
  });

  async function markLost(node: NodeObject, now: string): Promise<void> {
    const message = "Kubelet stopped posting node status.";
    const unknown = conditionTypes.map(
      (type) => ({ type, status: "Unknown", reason: "NodeStatusUnknown", message }) as const,
    );
    const conditions = withConditions(node.status?.conditions, unknown, now);
    await guardedPatch(client, Node, node, { status: { conditions } }, "status");
    const { name } = node.metadata;
    const note = `Node ${name} status is now: NodeNotReady`;
    record(node, { type: "Normal", reason: "NodeNotReady", note, by: "node-controller" });
  }

  async function markPods(node: string, now: string): Promise<void> {
    for (const pod of pods.list()) {
      const ready = conditionOf(pod.status?.conditions, "Ready");
      if (pod.spec.nodeName !== node || ready?.status !== "True") continue;
      const conditions = withConditions(pod.status?.conditions, [{ type: "Ready", status: "False" }], now);
      await guardedPatch(client, Pod, pod, { status: { conditions } }, "status");
      record(pod, { type: "Warning", reason: "NodeNotReady", note: "Node is not ready", by: "node-controller" });
    }
  }

  nodes.on((change, { metadata }) => {
    if (change !== "delete") queue.add(metadata.name);
  });
  leases.on((change, { metadata }) => {
    // A renewal moves a date that is looked at when it comes.
    if (change === "add") queue.add(metadata.name);
  });
  return { synced };
}
