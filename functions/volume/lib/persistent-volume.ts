import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { Volume } from "./kinds.ts";
import { type VolumeObject, volumeFinalizer } from "./volume.ts";

/** As much of a PersistentVolume as decides what becomes of it. */
export interface PersistentVolumeObject extends KubernetesObject {
  readonly spec?: {
    readonly claimRef?: { readonly namespace?: string; readonly name?: string; readonly uid?: string };
    readonly local?: { readonly path?: string };
    readonly [field: string]: unknown;
  };
  readonly status?: { readonly phase?: string; readonly message?: string; readonly reason?: string };
}

/** Where the PersistentVolume says that its storage is on the node. */
export const pathIn = ({ spec }: PersistentVolumeObject): string | undefined => spec?.local?.path;

/**
 * Whether a PersistentVolume of the Volume's name is this very Volume's: controlled by it, by uid; or, with any
 * owner references, at a path with the Volume's UID, which no other storage has. Where neither is known
 * (a logical volume's path has an id of LVM's), one that carries the finalizer and has no controller counts as this
 * Volume's: to take the storage back under it would be worse than to wait for it.
 */
export function isOf(persistentVolume: PersistentVolumeObject, volume: VolumeObject): boolean {
  const path = pathIn(persistentVolume) ?? "";
  if (isControlledBy(persistentVolume, volume) || isAtPathOf(persistentVolume, volume)) return true;
  const isControlled = persistentVolume.metadata.ownerReferences?.some(({ controller }) => controller) ?? false;
  const saysWhose = /^\/dev\/disk\/by-(part)?uuid\//.test(path);
  return !isControlled && !saysWhose && hasFinalizer(persistentVolume, volumeFinalizer);
}

/** Whether its path has the Volume's UID, which no other storage has; the path of a logical volume has none. */
export const isAtPathOf = (persistentVolume: PersistentVolumeObject, { metadata }: KubernetesObject): boolean =>
  pathIn(persistentVolume)?.endsWith(`/${metadata.uid}`) ?? false;

function isControlledBy({ metadata }: KubernetesObject, volume: VolumeObject): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ controller, kind, uid }) => controller === true && kind === Volume.kind && uid === volume.metadata.uid,
  );
}

/** Whether the PersistentVolume is being deleted, is bound to no claim, and nothing but Holdfast holds it. */
export function isUnused(persistentVolume: PersistentVolumeObject): boolean {
  if (!isBeingDeleted(persistentVolume) || isBinding(persistentVolume)) return false;
  const isFree = ["Available", "Released", "Failed"].includes(persistentVolume.status?.phase ?? "");
  // Kubernetes' own finalizer stays while a claim is bound.
  return isFree && (persistentVolume.metadata.finalizers ?? []).every((finalizer) => finalizer === volumeFinalizer);
}

/**
 * Whether a claim has just been given the PersistentVolume: scheduler and controller write `claimRef` first, and
 * `Bound` after it, and Kubernetes' own finalizer may leave in between. An admin's reservation for a claim names no
 * uid.
 */
export function isBinding({ spec, status }: PersistentVolumeObject): boolean {
  return status?.phase === "Available" && Boolean(spec?.claimRef?.uid);
}

/**
 * Whether an unused PersistentVolume was made of a Volume that is gone. `live` is what has the Volume's name now: a uid
 * never comes back. One without a controller, or under another name than its Volume's, may be anybody's.
 */
export function isLeftBehind(persistentVolume: PersistentVolumeObject, live: KubernetesObject | undefined): boolean {
  const { metadata } = persistentVolume;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const isMadeOfVolume =
    owner?.kind === Volume.kind && owner.apiVersion === Volume.apiVersion && owner.name === metadata.name;
  if (!isMadeOfVolume || owner.uid === live?.metadata.uid) return false;
  // At a path that names the Volume that is there now, it is that Volume's storage all the same.
  if (live && isOf(persistentVolume, live as VolumeObject)) return false;
  return hasFinalizer(persistentVolume, volumeFinalizer) && isUnused(persistentVolume);
}
