import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Condition } from "../controllers/objects/condition.ts";
import type { NodeObject } from "../controllers/objects/node.ts";
import type { PodObject } from "../controllers/objects/pod.ts";

export interface MachineObject extends KubernetesObject {
  spec: {
    clusterName: string;
    providerID?: string;
    infrastructureRef: { name: string };
    [field: string]: unknown;
  };
  status?: {
    phase?: string;
    nodeRef?: { name: string };
    conditions?: Condition[];
    [field: string]: unknown;
  };
}

export interface ClusterObject extends KubernetesObject {
  spec?: { paused?: boolean; [field: string]: unknown };
}

export interface AttachmentObject extends KubernetesObject {
  spec: { nodeName: string; source: { persistentVolumeName?: string }; [field: string]: unknown };
  status?: { attached?: boolean };
}

/** All that one pass of a deleting Machine looks at. */
export interface Pass {
  readonly machine: MachineObject;
  readonly cluster: ClusterObject | undefined;
  /** Machines of the cluster, this one among them. */
  readonly machines: readonly MachineObject[];
  readonly node: NodeObject | undefined;
  /** Pods on the node that are drained: no DaemonSet's, no static ones, none that has ended. */
  readonly pods: readonly PodObject[];
  /** What is attached to the node. */
  readonly attachments: readonly AttachmentObject[];
  readonly infrastructure: KubernetesObject | undefined;
}

/** Where a pass of a deleting Machine ends, and what it does there. */
export type Phase =
  | {
      readonly stop:
        | "WaitingForPreDrainHook"
        | "WaitingForPreTerminateHook"
        | "DrainingNode"
        | "WaitingForVolumeDetach";
    }
  | { readonly stop: "WaitingForInfrastructureDeletion" | "DeletionCompleted"; readonly deletesNode: boolean };

const preDrain = "pre-drain.delete.hook.machine.cluster.x-k8s.io";
const preTerminate = "pre-terminate.delete.hook.machine.cluster.x-k8s.io";
const controlPlane = "cluster.x-k8s.io/control-plane";

/**
 * One pass of the real Machine controller (v1.13.6). Nothing is remembered: each begins at the pre-drain hooks again,
 * so that a pod or an attachment that comes late leads back. Pre-terminate hooks are looked at in any case.
 */
export function nextPhase(pass: Pass): Phase {
  const allowed = mayDeleteNode(pass);
  if (allowed) {
    if (hasHook(pass.machine, preDrain)) return { stop: "WaitingForPreDrainHook" };
    if (pass.node) {
      const unreachable = isUnreachable(pass.node);
      // Of a node that does not answer, what is being deleted already counts as gone.
      const pods = pass.pods.filter(({ metadata }) => !unreachable || !metadata.deletionTimestamp);
      if (pods.length) return { stop: "DrainingNode" };
      if (pass.attachments.length && !unreachable) return { stop: "WaitingForVolumeDetach" };
    }
  }
  if (hasHook(pass.machine, preTerminate)) return { stop: "WaitingForPreTerminateHook" };
  const deletesNode = allowed && pass.node !== undefined;
  return { stop: pass.infrastructure ? "WaitingForInfrastructureDeletion" : "DeletionCompleted", deletesNode };
}

/**
 * Not while the Cluster goes, without a Node, nor when no control plane stays: then nothing is drained, and the Node
 * stays.
 */
function mayDeleteNode({ machine, cluster, machines, node }: Pass): boolean {
  if (!(machine.status?.nodeRef ?? node) || !cluster || cluster.metadata.deletionTimestamp) return false;
  return machines.some(({ metadata }) => metadata.labels?.[controlPlane] !== undefined && !metadata.deletionTimestamp);
}

const hasHook = ({ metadata }: MachineObject, prefix: string) =>
  Object.keys(metadata.annotations ?? {}).some((key) => key.startsWith(prefix));

function isUnreachable({ status }: NodeObject): boolean {
  return status?.conditions?.some(({ type, status }) => type === "Ready" && status === "Unknown") ?? false;
}
