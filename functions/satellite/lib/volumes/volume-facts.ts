import { type Labelled, matchesNodeSelector, type NodeSelector } from "../../../../shared/kubernetes/node-selector.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { marksFor, marksOn } from "../marks.ts";
import { csiDriver } from "../names.ts";

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
  /** Milliseconds since the epoch; absent when nobody wrote it down. */
  readonly waitsSince?: number;
  readonly overridden: boolean;
  /** Carries any annotation of an evacuation of this Node. */
  readonly marked: boolean;
  /** Its own policy lets only Nodes with a copy use it. */
  readonly localOnly: boolean;
  /** Some other Node matches its node affinity, so that a pod that uses it can be placed there. */
  readonly attachableElsewhere: boolean;
  /** On its way out, or without a claim: nobody will attach it any more. */
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
