import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Truth } from "../invariants/invariant.ts";
import type { SimulatedLinstor } from "./linstor.ts";

// Definitions of the simulation's own, apart from those of the rules that it judges.

export const drainHook = "pre-drain.delete.hook.machine.cluster.x-k8s.io/linstor-prepare-for-drain";
export const terminateHook = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/linstor-wait-for-complete-evacuation";
export const guard = "piraeus.io/satellite-protection";
export const recordKey = "holdfast.dev/evacuation";

export type SatelliteLike = KubernetesObject & {
  spec?: { deletionPolicy?: string; clusterRef?: { name?: string } };
  status?: { conditions?: readonly { type: string; status: string; message: string }[] };
};
export type VolumeLike = KubernetesObject & { spec?: { nodeAffinity?: object } };
export type AttachmentLike = KubernetesObject & {
  spec: { nodeName: string; source: { persistentVolumeName?: string } };
};
export type MachineLike = KubernetesObject & { status?: { nodeRef?: { name?: string } } };
export type NodeLike = KubernetesObject & { spec?: { taints?: readonly { effect: string }[] } };

export const linstorIn = ({ outsides }: Truth) => outsides.get("satellite") as SimulatedLinstor;
export const satellitesOf = ({ history }: Truth) => history.live("LinstorSatellite") as readonly SatelliteLike[];
export const machinesOf = ({ history }: Truth) => history.live("Machine") as readonly MachineLike[];
export const volumesOf = ({ history }: Truth) => history.live("PersistentVolume") as readonly VolumeLike[];
export const attachmentsOf = ({ history }: Truth) => history.live("VolumeAttachment") as readonly AttachmentLike[];
export const nodesOf = ({ history }: Truth) =>
  (history.live("Node") as readonly NodeLike[]).filter(({ metadata }) => metadata.labels?.storage !== undefined);

export const satelliteOf = (truth: Truth, node: string) =>
  satellitesOf(truth).find(({ metadata }) => metadata.name === node);
export const policyOf = (satellite: SatelliteLike | undefined) => satellite?.spec?.deletionPolicy || "Retain";
export const isClusterDeleting = ({ history }: Truth) =>
  history.live("Cluster").some(({ metadata }) => metadata.deletionTimestamp !== undefined);
export const hasLinstorCluster = ({ history }: Truth) => history.live("LinstorCluster").length > 0;

/** The Nodes that annotations of an evacuation are there for. */
export function markedFor({ metadata }: KubernetesObject | VolumeLike): readonly string[] {
  return Object.keys(metadata.annotations ?? {}).flatMap((key) => {
    const [, node] = /^(?:wait-for-reattach(?:-since)?\.evacuation|override)\.piraeus\.io\/(.+)$/.exec(key) ?? [];
    return node ? [node] : [];
  });
}

/**
 * Whether another client has changed something of this object within the last minute, which a function may not have
 * seen yet.
 */
export const isFresh = ({ changes }: Truth, at: number, uid: string) =>
  changes.some(({ object, by, at: when }) => !by.process && object.metadata.uid === uid && when > at - 60_000);
