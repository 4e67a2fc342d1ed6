import { matchesLabelSelector } from "../../../shared/kubernetes/label-selector.ts";
import { matchesNodeSelector } from "../../../shared/kubernetes/node-selector.ts";
import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import type { NodeObject } from "../objects/node.ts";
import type { ClaimObject, ClaimReference, VolumeObject } from "../objects/storage.ts";

/** Whether a volume is bound to, or reserved for, this very claim. */
export function isFor({ spec: { claimRef } }: VolumeObject, { metadata }: ClaimObject): boolean {
  return claimRef !== undefined && names(claimRef, metadata) && (!claimRef.uid || claimRef.uid === metadata.uid);
}

function names(reference: ClaimReference, { namespace, name }: ClaimObject["metadata"]): boolean {
  return reference.namespace === namespace && reference.name === name;
}

/**
 * Why a volume that a claim asks for by name cannot serve it, as the PV controller words it; `undefined` when it can.
 */
export function mismatch(volume: VolumeObject, claim: ClaimObject): string | undefined {
  if (volume.metadata.deletionTimestamp)
    return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name)}`;
  if (sizeOf(volume) < sizeWanted(claim)) return "requested PV is too small";
  if ((volume.spec.storageClassName ?? "") !== (claim.spec.storageClassName ?? ""))
    return "storageClassName does not match";
  if (!hasSameMode(volume, claim)) return "incompatible volumeMode";
  return hasAccessModes(volume, claim) ? undefined : "incompatible accessMode";
}

/**
 * The volume that suits a claim best: one reserved for it, else of the available ones with the fewest access modes the
 * smallest. With a node, only volumes that can be reached from it; `reservedOnly` leaves all but reserved ones to the
 * scheduler.
 */
export function findVolume(
  claim: ClaimObject,
  volumes: readonly VolumeObject[],
  { node, reservedOnly = false }: { node?: NodeObject; reservedOnly?: boolean } = {},
): VolumeObject | undefined {
  const suitable = volumes.filter(
    (volume) =>
      (!volume.spec.claimRef || isFor(volume, claim)) &&
      !volume.metadata.deletionTimestamp &&
      sizeOf(volume) >= sizeWanted(claim) &&
      hasSameMode(volume, claim) &&
      hasAccessModes(volume, claim),
  );
  const reserved = suitable.find((volume) => isFor(volume, claim));
  if (reserved) return reaches(node, reserved) ? reserved : undefined;
  if (reservedOnly) return undefined;

  const { selector, storageClassName = "" } = claim.spec;
  return suitable
    .filter(
      (volume) =>
        volume.status?.phase === "Available" &&
        (volume.spec.storageClassName ?? "") === storageClassName &&
        (!selector || matchesLabelSelector(selector, volume.metadata.labels)) &&
        reaches(node, volume),
    )
    .sort((a, b) => modesOf(a).length - modesOf(b).length || sizeOf(a) - sizeOf(b))[0];
}

function reaches(node: NodeObject | undefined, { spec }: VolumeObject): boolean {
  const required = spec.nodeAffinity?.required;
  return !node || !required || matchesNodeSelector(required, node.metadata);
}

function sizeOf({ spec }: VolumeObject): number {
  return quantityValue(spec.capacity?.storage) || 0;
}

function sizeWanted({ spec }: ClaimObject): number {
  return quantityValue(spec.resources?.requests?.storage) || 0;
}

function modesOf({ spec }: VolumeObject): readonly string[] {
  return spec.accessModes ?? [];
}

function hasSameMode(volume: VolumeObject, claim: ClaimObject): boolean {
  return (volume.spec.volumeMode ?? "Filesystem") === (claim.spec.volumeMode ?? "Filesystem");
}

function hasAccessModes(volume: VolumeObject, claim: ClaimObject): boolean {
  return (claim.spec.accessModes ?? []).every((mode) => modesOf(volume).includes(mode));
}
