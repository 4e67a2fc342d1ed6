import type { Client } from "../../../shared/kubernetes/client.ts";
import { PersistentVolume, PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import { guardedPatch } from "../guarded-patch.ts";
import type { ClaimObject, VolumeObject } from "../objects/storage.ts";
import { bindCompleted, boundByController, hasAnnotation } from "./annotations.ts";
import { isFor } from "./match-volume.ts";

/**
 * Binds a volume and a claim to each other, the volume first, in four writes of which only those needed are made. Ends
 * early when one of them is gone; a conflict throws, and the next look goes on from where this one stopped.
 */
export async function bind(client: Client, volume: VolumeObject, claim: ClaimObject): Promise<void> {
  const taken = await bindVolume(client, volume, claim);
  const bound = taken && (await setVolumePhase(client, taken, "Bound"));
  const complete = bound && (await bindClaim(client, claim, bound));
  if (complete) await setClaimPhase(client, complete, "Bound", bound);
}

async function bindVolume(client: Client, volume: VolumeObject, claim: ClaimObject): Promise<VolumeObject | undefined> {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  if (isFor(volume, claim) && volume.spec.claimRef?.uid) return volume;
  const claimRef = { apiVersion: claim.apiVersion, kind: claim.kind, namespace, name, uid, resourceVersion };
  const annotations = isFor(volume, claim) ? {} : { [boundByController]: "yes" };
  return guardedPatch(client, PersistentVolume, volume, { metadata: { annotations }, spec: { claimRef } });
}

async function bindClaim(client: Client, claim: ClaimObject, volume: VolumeObject): Promise<ClaimObject | undefined> {
  const volumeName = volume.metadata.name;
  if (claim.spec.volumeName === volumeName && hasAnnotation(claim, bindCompleted)) return claim;
  const annotations = {
    [bindCompleted]: "yes",
    ...(claim.spec.volumeName === volumeName ? {} : { [boundByController]: "yes" }),
  };
  return guardedPatch(client, PersistentVolumeClaim, claim, { metadata: { annotations }, spec: { volumeName } });
}

/** Takes a binding back that the claim does not share: what the user reserved stays reserved, by name only. */
export async function unbind(client: Client, volume: VolumeObject): Promise<void> {
  const patch = hasAnnotation(volume, boundByController)
    ? { metadata: { annotations: { [boundByController]: null } }, spec: { claimRef: null } }
    : { spec: { claimRef: { uid: null } } };
  const free = await guardedPatch(client, PersistentVolume, volume, patch);
  if (free) await setVolumePhase(client, free, "Available");
}

/** Writes a volume's phase when it is another; returns the volume as it is then. */
export async function setVolumePhase(
  client: Client,
  volume: VolumeObject,
  phase: NonNullable<VolumeObject["status"]>["phase"],
  message: string | null = null,
): Promise<VolumeObject | undefined> {
  if (volume.status?.phase === phase) return volume;
  return guardedPatch(client, PersistentVolume, volume, { status: { phase, message } }, "status");
}

/** Writes a claim's phase, and with a volume what the claim got of it; nothing when all is so already. */
export async function setClaimPhase(
  client: Client,
  claim: ClaimObject,
  phase: NonNullable<ClaimObject["status"]>["phase"],
  volume?: VolumeObject,
): Promise<void> {
  const { status = {} } = claim;
  const accessModes = volume?.spec.accessModes ?? null;
  // A bound claim's capacity may differ from its volume's on purpose: its file system is yet to be grown.
  const isNew = status.phase !== phase;
  const size = isNew ? volume?.spec.capacity : volume && status.capacity;
  const sameSize = (quantityValue(status.capacity?.storage) || 0) === (quantityValue(size?.storage) || 0);
  const sameModes = JSON.stringify(status.accessModes ?? null) === JSON.stringify(accessModes);
  if (!isNew && sameModes && sameSize) return;
  const patch = { status: { phase, accessModes, capacity: size ?? null } };
  await guardedPatch(client, PersistentVolumeClaim, claim, patch, "status");
}
