import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { Volume } from "./kinds.ts";
import { isAtPathOf, isOf, isUnused, type PersistentVolumeObject } from "./persistent-volume.ts";
import type { VolumeObject } from "./volume.ts";

/** What the order of steps depends on, as read live. */
export interface ChainFacts {
  readonly volume: VolumeObject;
  /** The PersistentVolume of the Volume's name; `undefined` when there is none. */
  readonly persistentVolume: PersistentVolumeObject | undefined;
  /** Of a Volume that is being deleted: its Node object is not there. */
  readonly nodeIsGone?: boolean;
  /** Of a Volume that is being deleted: PersistentVolumes that people have made of its storage, by other names. */
  readonly others?: readonly PersistentVolumeObject[];
}

/**
 * A Volume and the PersistentVolume of its name, as they are now; `undefined` when the Volume is gone. The
 * PersistentVolume is read after the Volume: one that is made by this Volume cannot be there before it.
 *
 * @throws ApiError
 */
export async function lookAtVolume(client: Client, name: string): Promise<ChainFacts | undefined> {
  const volume = await client.get<VolumeObject>(Volume, undefined, name);
  if (!volume) return undefined;
  return { volume, persistentVolume: await client.get<PersistentVolumeObject>(PersistentVolume, undefined, name) };
}

/**
 * The same, with whether the node of a Volume that is being deleted is gone, and with what else has its storage: for
 * rules that act at its deletion.
 *
 * @throws ApiError
 */
export async function lookAtVolumeAndNode(client: Client, name: string): Promise<ChainFacts | undefined> {
  const facts = await lookAtVolume(client, name);
  if (!facts || !isBeingDeleted(facts.volume)) return facts;
  const node = await client.get(Node, undefined, facts.volume.spec.nodeName, { metadataOnly: true });
  const { volume, persistentVolume } = facts;
  const isHeld = persistentVolume && isOf(persistentVolume, volume) && !isUnused(persistentVolume);
  const others: PersistentVolumeObject[] = [];
  // All are listed only where nothing else is in the way. The path of a logical volume does not say whose it is.
  if (node && !isHeld && !volume.spec.lvmLogicalVolume)
    for await (const one of client.list<PersistentVolumeObject>(PersistentVolume))
      if (one.metadata.name !== name && isAtPathOf(one, volume)) others.push(one);
  return { ...facts, nodeIsGone: !node, others };
}
