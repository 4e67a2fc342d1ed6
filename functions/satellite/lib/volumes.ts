import { type About, about } from "../../../shared/about.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { Node, PersistentVolume, PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { type Labelled, matchesNodeSelector, type NodeSelector } from "../../../shared/kubernetes/node-selector.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { VolumeAttachment } from "./kinds.ts";

/** The CSI driver whose volumes these are, as PersistentVolumes and VolumeAttachments name it. */
export const csiDriver = "linstor.csi.linbit.com";

/** The annotations of a PersistentVolume that an evacuation of a Node puts there, each for that Node alone. */
export interface Marks {
  /** It was attached there, and is to be attached elsewhere before its data is moved. */
  readonly waits: string;
  /** Since when, RFC 3339. */
  readonly since: string;
  /** The LINSTOR Affinity Controller makes it accessible from any Node. */
  readonly override: string;
}

/** The keys of the annotations for a Node. */
export function marksFor(node: string): Marks {
  return {
    waits: `wait-for-reattach.evacuation.piraeus.io/${node}`,
    since: `wait-for-reattach-since.evacuation.piraeus.io/${node}`,
    override: `override.piraeus.io/${node}`,
  };
}

/** The keys that are there, of those that an evacuation of this Node and of no other puts there. */
export function marksOn(annotations: Readonly<Record<string, string>> | undefined, node: string): readonly string[] {
  return Object.values(marksFor(node)).filter((key) => annotations?.[key] !== undefined);
}

/**
 * Why satellites of a Node cannot be evacuated, if they cannot: its name becomes the name part of an annotation's key,
 * which the API server refuses beyond 63 characters. Said when the satellite is created, not when it is too late.
 */
export function nodeNameProblem(node: string): string | undefined {
  if (node.length > 63) {
    const why = `The Node's name has ${node.length} characters, and the annotations of an evacuation have room for 63`;
    return `${why}: a satellite on it can be retained or deleted, not evacuated. Use a shorter name for the Node.`;
  }
  const isName = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(node);
  return isName
    ? undefined
    : "The Node's name cannot stand in an annotation's key: a satellite on it cannot be evacuated.";
}

/** A PersistentVolume as far as evacuations read it. */
export interface PersistentVolumeObject extends KubernetesObject {
  spec?: {
    csi?: { driver: string; volumeHandle: string; volumeAttributes?: Record<string, string> };
    claimRef?: { namespace?: string; name?: string; uid?: string };
    nodeAffinity?: { required?: NodeSelector };
    [field: string]: unknown;
  };
  status?: { phase?: string; [field: string]: unknown };
}

export interface VolumeAttachmentObject extends KubernetesObject {
  spec: { attacher: string; nodeName: string; source: { persistentVolumeName?: string }; [field: string]: unknown };
  status?: { attached?: boolean; [field: string]: unknown };
}

/** What an evacuation of one Node has to know of a PersistentVolume. */
export interface VolumeFacts {
  readonly name: string;
  /** Some VolumeAttachment of the driver binds it to the Node, attached yet or not. */
  readonly here: boolean;
  /** It is attached to some other Node. */
  readonly elsewhere: boolean;
  /** Marked as one that is to be attached elsewhere. */
  readonly waits: boolean;
  /** Milliseconds since the epoch; absent when it was not written down. */
  readonly waitsSince?: number;
  readonly overridden: boolean;
  /** Carries any annotation of an evacuation of this Node. */
  readonly marked: boolean;
  /** Its own policy lets only Nodes with a copy use it. */
  readonly localOnly: boolean;
  /** Some other Node matches its node affinity, so that a pod that uses it can be placed there. */
  readonly attachableElsewhere: boolean;
  /** On its way out, or without a claim: no pod will attach it any more. */
  readonly leaving: boolean;
}

/** Derives the facts of a volume from live objects; `nodes` are all of the cluster. */
export function volumeFacts(
  volume: PersistentVolumeObject,
  attachments: readonly VolumeAttachmentObject[],
  node: string,
  nodes: readonly Labelled[],
): VolumeFacts {
  const { annotations = {}, deletionTimestamp } = volume.metadata;
  const keys = marksFor(node);
  const own = attachments.filter(
    ({ spec }) => spec.attacher === csiDriver && spec.source.persistentVolumeName === volume.metadata.name,
  );
  const since = Date.parse(annotations[keys.since] ?? "");
  const attributes = volume.spec?.csi?.volumeAttributes ?? {};
  const affinity = volume.spec?.nodeAffinity?.required;
  const phase = volume.status?.phase;
  return {
    name: volume.metadata.name,
    here: own.some(({ spec }) => spec.nodeName === node),
    elsewhere: own.some(({ spec, status }) => spec.nodeName !== node && status?.attached === true),
    waits: annotations[keys.waits] === "true",
    ...(Number.isNaN(since) ? {} : { waitsSince: since }),
    overridden: annotations[keys.override] === "true",
    marked: marksOn(annotations, node).length > 0,
    localOnly:
      attributes["linstor.csi.linbit.com/uses-volume-context"] === "true" &&
      attributes["linstor.csi.linbit.com/remote-access-policy"] === "false",
    attachableElsewhere: nodes.some((other) => other.name !== node && matchesNodeSelector(affinity, other)),
    leaving: deletionTimestamp !== undefined || phase === "Released" || phase === "Failed" || !volume.spec?.claimRef,
  };
}

/** A volume's resource in LINSTOR. Handles of newer drivers are `<resource>/<volume number>`. */
export function resourceOf(volume: PersistentVolumeObject): string | undefined {
  const { csi } = volume.spec ?? {};
  return csi?.driver === csiDriver ? csi.volumeHandle.split("/")[0] : undefined;
}

const unread = { leaveOut: ["metadata.managedFields"] };

/** Volumes of LINSTOR's driver that a node has to do with, with their objects. */
export interface VolumesSeen {
  readonly facts: readonly VolumeFacts[];
  readonly objects: ReadonlyMap<string, PersistentVolumeObject>;
}

/** @throws ApiError */
export async function lookAtVolumes(client: Client, node: string): Promise<VolumesSeen> {
  const [attachments, nodes, all] = await Promise.all([
    Array.fromAsync(client.list<VolumeAttachmentObject>(VolumeAttachment, unread)),
    Array.fromAsync(client.list(Node, { metadataOnly: true })),
    Array.fromAsync(client.list<PersistentVolumeObject>(PersistentVolume, unread)),
  ]);
  const labelled = nodes.map(({ metadata: { name, labels = {} } }) => ({ name, labels }));
  const ours = all.filter(
    ({ spec, metadata }) => spec?.csi?.driver === csiDriver || marksOn(metadata.annotations, node).length > 0,
  );
  return {
    facts: ours.map((volume) => volumeFacts(volume, attachments, node, labelled)),
    objects: new Map(ours.map((volume) => [volume.metadata.name, volume])),
  };
}

/** Where people look for a volume's Events: its claim, or the volume itself where nothing has claimed it. */
export function aboutVolume(volume: PersistentVolumeObject): About {
  const { namespace, name, uid } = volume.spec?.claimRef ?? {};
  const { apiVersion, kind } = PersistentVolumeClaim;
  const metadata = { namespace, name, uid } as KubernetesObject["metadata"];
  return name && uid
    ? about(PersistentVolumeClaim, { apiVersion, kind, metadata })
    : about(PersistentVolume, {
        ...volume,
        apiVersion: PersistentVolume.apiVersion,
        kind: PersistentVolume.kind,
      });
}
