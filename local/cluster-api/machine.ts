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
    deletion?: { nodeDrainStartTime?: string; waitForNodeVolumeDetachStartTime?: string };
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
  readonly volumes: ReadonlyMap<string, { readonly claim?: string }>;
  readonly infrastructure: KubernetesObject | undefined;
}

/** Where a pass of a deleting Machine ends, and what it does there. */
export type Phase =
  | { readonly stop: "WaitingForPreDrainHook" | "WaitingForPreTerminateHook"; readonly message: string }
  | { readonly stop: "DrainingNode" | "WaitingForVolumeDetach"; readonly waitsOn: readonly string[] }
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
    const hooks = hooksOf(pass.machine, preDrain);
    if (hooks.length)
      return {
        stop: "WaitingForPreDrainHook",
        message: `Waiting for pre-drain hooks to succeed (hooks: ${hooks.join(",")})`,
      };
    if (pass.node) {
      const unreachable = isUnreachable(pass.node);
      // Of a node that does not answer, what is being deleted already counts as gone.
      const pods = pass.pods.filter(({ metadata }) => !unreachable || !metadata.deletionTimestamp);
      if (pods.length) return { stop: "DrainingNode", waitsOn: pods.map(podLine) };
      if (pass.attachments.length && !unreachable)
        return { stop: "WaitingForVolumeDetach", waitsOn: attachmentLines(pass) };
    }
  }
  const hooks = hooksOf(pass.machine, preTerminate);
  if (hooks.length) {
    const message = `Waiting for pre-terminate hooks to succeed (hooks: ${hooks.join(",")})`;
    return { stop: "WaitingForPreTerminateHook", message };
  }
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

function hooksOf({ metadata }: MachineObject, prefix: string): readonly string[] {
  return Object.keys(metadata.annotations ?? {})
    .filter((key) => key.startsWith(prefix))
    .sort();
}

function isUnreachable({ status }: NodeObject): boolean {
  return status?.conditions?.some(({ type, status }) => type === "Ready" && status === "Unknown") ?? false;
}

function podLine({ metadata: { namespace, name, deletionTimestamp } }: PodObject): string {
  return deletionTimestamp
    ? `* Pod ${namespace}/${name}: deletionTimestamp set, but still not removed from the Node`
    : `* Pod ${namespace}/${name}: eviction is being tried`;
}

function attachmentLines({ attachments, volumes }: Pass): readonly string[] {
  const names = attachments.map(({ spec }) => spec.source.persistentVolumeName ?? "");
  const claims = names.flatMap((name) => volumes.get(name)?.claim ?? []);
  const unclaimed = names.filter((name) => volumes.has(name) && !volumes.get(name)?.claim);
  const unknown = names.filter((name) => !volumes.has(name));
  const line = (what: string, which: readonly string[]) =>
    which.length ? [`* ${what}: ${which.toSorted().join(", ")}`] : [];
  return [
    ...line("PersistentVolumeClaims", claims),
    ...line("PersistentVolumes without a .spec.claimRef to a PersistentVolumeClaim", unclaimed),
    ...line("VolumeAttachment with .spec.source.persistentVolumeName not matching a PersistentVolume", unknown),
  ];
}
