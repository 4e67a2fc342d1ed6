import type { Hint } from "../../../shared/event/hint.ts";
import { objectsIn } from "../../../shared/event/objects-in.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { Subject } from "../../../shared/subject.ts";
import { DaemonSet, daemonSetName, LinstorSatellite, Machine, VolumeAttachment } from "./kinds.ts";
import type { MachineObject } from "./machine.ts";
import type { LinstorSatelliteObject } from "./satellite.ts";
import { csiDriver, type PersistentVolumeObject, type VolumeAttachmentObject } from "./volumes.ts";

/** The satellite of this name. */
export const satelliteNamed = (name: string): Subject => ({ kind: LinstorSatellite, name });

/** Every satellite that is being evacuated. */
export const allLeaving: Subject = { kind: LinstorSatellite };

/** The satellite of an event, where `cares` says so, or the rule has something to clear there. */
export const satellitesIn = <Satellite extends LinstorSatelliteObject>(
  hint: Hint,
  ruleName: string,
  cares: (satellite: Satellite) => boolean,
): readonly Subject[] => objectsIn(hint, [LinstorSatellite], cares, ruleName);

/** The satellite of the Node that a Machine is, whichever version of Cluster API the event is of. */
export function ofMachine({ kind, apiVersion, object }: Hint, deletingOnly = true): readonly Subject[] {
  if (kind !== Machine.kind || !apiVersion.startsWith("cluster.x-k8s.io/")) return [];
  const machine = object as MachineObject | undefined;
  const name = machine?.status?.nodeRef?.name;
  if (!machine || !name) return [];
  return !deletingOnly || isBeingDeleted(machine) ? [satelliteNamed(name)] : [];
}

/** The satellite that a DaemonSet belongs to. */
export function ofDaemonSet({ kind, object, name }: Hint): readonly Subject[] {
  if (kind !== DaemonSet.kind) return [];
  const prefix = daemonSetName("");
  if (!object) return name.startsWith(prefix) ? [satelliteNamed(name.slice(prefix.length))] : [];
  const owner = object.metadata.ownerReferences?.find(({ kind }) => kind === LinstorSatellite.kind);
  return owner ? [satelliteNamed(owner.name)] : [];
}

/** The satellite of a Node. */
export function ofNode({ kind, apiVersion, name }: Hint): readonly Subject[] {
  return kind === Node.kind && apiVersion === Node.apiVersion ? [satelliteNamed(name)] : [];
}

/** The satellite of the Node that a volume of LINSTOR's driver is attached to, or is to be. */
export function ofAttachment({ kind, object }: Hint): readonly Subject[] {
  if (kind !== VolumeAttachment.kind) return [];
  const attachment = object as VolumeAttachmentObject | undefined;
  if (!attachment) return [allLeaving];
  return attachment.spec.attacher === csiDriver ? [satelliteNamed(attachment.spec.nodeName)] : [];
}

/** Any satellite may have waited for a volume that is attached, or detached, somewhere. */
export function ofReattachment({ kind, object }: Hint): readonly Subject[] {
  if (kind !== VolumeAttachment.kind) return [];
  const attachment = object as VolumeAttachmentObject | undefined;
  return !attachment || attachment.spec.attacher === csiDriver ? [allLeaving] : [];
}

/**
 * Any satellite, when a volume of LINSTOR's driver has changed: the affinity controller makes it again, and marks may
 * be lost.
 */
export function ofVolume({ kind, object }: Hint): readonly Subject[] {
  if (kind !== PersistentVolume.kind) return [];
  const volume = object as PersistentVolumeObject | undefined;
  return !volume || volume.spec?.csi?.driver === csiDriver ? [allLeaving] : [];
}
