import type { Client } from "../../../shared/kubernetes/client.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { ChainFacts } from "./chain.ts";
import { Volume } from "./kinds.ts";
import type { PersistentVolumeObject } from "./persistent-volume.ts";
import type { VolumeObject } from "./volume.ts";

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
