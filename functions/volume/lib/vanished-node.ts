import { isOf, type PersistentVolumeObject } from "./persistent-volume.ts";
import { phaseOf, type VolumeObject } from "./volume.ts";

/** By this annotation an admin gives up storage on a node that is gone for good; its value is the node's name. */
export const abandonStorage = "holdfast.dev/abandon-storage";

/** Whether an admin has given up the Volume's storage, should its node be gone. */
export const isAbandoned = ({ metadata, spec }: VolumeObject): boolean =>
  metadata.annotations?.[abandonStorage] === spec.nodeName;

/**
 * Whether anything may have been begun on the node for the Volume. The id of a job is written into the status before
 * the job is posted, and stays there until the Volume is Available. One that becomes Pending again gets a job that is
 * done. So a Volume without a job that is Pending was not begun, unless it has had a device.
 */
export function wasBegun(volume: VolumeObject, persistentVolume: PersistentVolumeObject | undefined): boolean {
  const isPublished = persistentVolume !== undefined && isOf(persistentVolume, volume);
  const { job, deviceName } = volume.status ?? {};
  return isPublished || Boolean(job || deviceName) || !["Unknown", "Pending"].includes(phaseOf(volume));
}
