import type { Client } from "../../../../shared/kubernetes/client.ts";
import { Node, PersistentVolume } from "../../../../shared/kubernetes/kind.ts";
import { VolumeAttachment } from "../kinds.ts";
import { marksOn } from "../marks.ts";
import { csiDriver } from "../names.ts";
import {
  type PersistentVolumeObject,
  type VolumeAttachmentObject,
  type VolumeFacts,
  volumeFacts,
} from "./volume-facts.ts";

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
