import { keyOf } from "../../eventing/watch/reflect.ts";
import { Cluster, Machine, VolumeAttachment } from "../../functions/satellite/lib/kinds.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import { Node, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { timestamp } from "../../shared/kubernetes/timestamp.ts";
import type { ControllerTools, Running } from "../controllers/controller.ts";
import { guardedPatch } from "../controllers/guarded-patch.ts";
import { startObjectQueue } from "../controllers/object-queue.ts";
import { withConditions } from "../controllers/objects/condition.ts";
import type { NodeObject } from "../controllers/objects/node.ts";
import type { PodObject } from "../controllers/objects/pod.ts";
import type { WorkQueue } from "../controllers/work-queue.ts";
import { GenericMachine } from "./kinds.ts";
import { type AttachmentObject, type ClusterObject, type MachineObject, nextPhase, type Pass } from "./machine.ts";

const second = 1000;
const resyncInterval = 600 * second;
const finalizer = "machine.cluster.x-k8s.io";

export interface MachinesOptions {
  /** Milliseconds in which a Machine is not looked at again while pods or volumes are waited for; 20,000 by default. */
  readonly pollInterval?: number;
}

/**
 * A Machine controller in miniature, for deletions: follows Cluster API's v1.13.6 pass by pass. Woken by Machines,
 * their Nodes and infrastructure objects, **not** by Clusters, pods or VolumeAttachments. Management and workload
 * cluster are one.
 */
export function startMachines(tools: ControllerTools, { pollInterval = 20 * second }: MachinesOptions = {}): Running {
  const { client, clock, reflections } = tools;
  const machines = reflections.of<MachineObject>(Machine);
  const clusters = reflections.of<ClusterObject>(Cluster);
  const nodes = reflections.of<NodeObject>(Node);
  const pods = reflections.of<PodObject>(Pod);
  const attachments = reflections.of<AttachmentObject>(VolumeAttachment);
  const infrastructure = reflections.of<KubernetesObject>(GenericMachine);
  /** Until when a Machine is not looked at again. */
  const notBefore = new Map<string, number>();

  const queue: WorkQueue & Running = startObjectQueue(tools, {
    controller: "machine-controller",
    objects: machines,
    reads: [clusters, nodes, pods, attachments, infrastructure],
    async work(machine, key) {
      const wait = (notBefore.get(machine.metadata.uid) ?? 0) - clock.now();
      if (wait > 0) return queue.addAfter(key, wait);
      queue.addAfter(key, resyncInterval);
      const cluster = clusters.get(machine.metadata.namespace, machine.spec.clusterName);
      if (cluster?.spec?.paused) return;
      if (machine.metadata.deletionTimestamp) await deleting(key, machine, cluster);
      else await running(machine);
    },
  });

  const nodeOf = ({ spec: { providerID } }: MachineObject) =>
    nodes.list().find(({ spec }) => providerID !== undefined && spec?.providerID === providerID);

  async function running(machine: MachineObject): Promise<void> {
    const { finalizers = [], namespace, name } = machine.metadata;
    if (!finalizers.includes(finalizer)) {
      await guardedPatch(client, Machine, machine, { metadata: { finalizers: [...finalizers, finalizer] } });
      return;
    }
    const node = nodeOf(machine);
    if (!node) return;
    if (node.metadata.annotations?.["cluster.x-k8s.io/machine"] !== name) {
      const annotations = {
        "cluster.x-k8s.io/machine": name,
        "cluster.x-k8s.io/cluster-name": machine.spec.clusterName,
        "cluster.x-k8s.io/cluster-namespace": namespace,
      };
      await guardedPatch(client, Node, node, { metadata: { annotations } });
    }
    if (machine.status?.nodeRef) return;
    const now = timestamp(clock.now());
    const conditions = withConditions(
      machine.status?.conditions,
      [{ type: "Deleting", status: "False", reason: "NotDeleting", message: "" }],
      now,
    );
    await guardedPatch(
      client,
      Machine,
      machine,
      { status: { phase: "Running", nodeRef: { name: node.metadata.name }, conditions } },
      "status",
    );
  }

  async function deleting(key: string, machine: MachineObject, cluster: ClusterObject | undefined): Promise<void> {
    const { namespace, finalizers = [] } = machine.metadata;
    // One that was deleted before it knew its Node looks for it once more.
    const node = machine.status?.nodeRef ? nodes.get(undefined, machine.status.nodeRef.name) : nodeOf(machine);
    const infra = infrastructure.get(namespace, machine.spec.infrastructureRef.name);
    const pass: Pass = {
      machine,
      cluster,
      machines: machines.list(namespace).filter(({ spec }) => spec.clusterName === machine.spec.clusterName),
      node,
      pods: node ? pods.list().filter((pod) => pod.spec.nodeName === node.metadata.name && isDrained(pod)) : [],
      attachments: attachments
        .list()
        .filter(({ spec, status }) => spec.nodeName === node?.metadata.name && status?.attached),
      infrastructure: infra,
    };
    const phase = nextPhase(pass);
    if (phase.stop === "DrainingNode" || phase.stop === "WaitingForVolumeDetach") {
      notBefore.set(machine.metadata.uid, clock.now() + pollInterval);
      queue.addAfter(key, pollInterval);
      if (node && !node.spec?.unschedulable) await guardedPatch(client, Node, node, { spec: { unschedulable: true } });
      if (phase.stop === "DrainingNode") await evict(pass.pods);
    }
    if (!("deletesNode" in phase)) return say(machine, phase.stop);
    if (phase.stop === "WaitingForInfrastructureDeletion" && infra) {
      if (!infra.metadata.deletionTimestamp) await client.delete(GenericMachine, namespace, infra.metadata.name, {});
      return say(machine, phase.stop);
    }
    if (phase.deletesNode && node) await client.delete(Node, undefined, node.metadata.name, { uid: node.metadata.uid });
    const rest = finalizers.filter((one) => one !== finalizer);
    await guardedPatch(client, Machine, machine, { metadata: { finalizers: rest } });
  }

  async function evict(drained: readonly PodObject[]): Promise<void> {
    for (const { metadata } of drained) {
      if (metadata.deletionTimestamp) continue;
      const { namespace, name } = metadata;
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name } };
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
      // A disruption budget holds it: tried again in the next pass.
      await client.request("POST", path, eviction).catch((error) => {
        if (!(error instanceof ApiError && error.status === 429)) throw error;
      });
    }
  }

  async function say(machine: MachineObject, reason: string): Promise<void> {
    const now = timestamp(clock.now());
    const change = { type: "Deleting", status: "True", reason, message: "" } as const;
    const conditions = withConditions(machine.status?.conditions, [change], now);
    if (conditions === machine.status?.conditions && machine.status?.phase === "Deleting") return;
    await guardedPatch(client, Machine, machine, { status: { phase: "Deleting", conditions } }, "status");
  }

  machines.on((change, machine) => {
    if (change === "delete") notBefore.delete(machine.metadata.uid);
  });
  infrastructure.on((_change, object) => {
    for (const machine of machines.list(object.metadata.namespace))
      if (machine.spec.infrastructureRef.name === object.metadata.name) queue.add(keyOf(machine));
  });
  nodes.on((_change, node) => {
    for (const machine of machines.list())
      if (machine.status?.nodeRef?.name === node.metadata.name || machine.spec.providerID === node.spec?.providerID)
        queue.add(keyOf(machine));
  });
  return queue;
}

function isDrained({ metadata, status }: PodObject): boolean {
  const byDaemonSet = metadata.ownerReferences?.some(({ kind, controller }) => controller && kind === "DaemonSet");
  const isStatic = metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined;
  return !byDaemonSet && !isStatic && status?.phase !== "Succeeded" && status?.phase !== "Failed";
}
