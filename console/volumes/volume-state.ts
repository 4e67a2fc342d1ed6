import { isDeletable } from "../../functions/volume/lib/deletable.ts";
import { isOf, type PersistentVolumeObject } from "../../functions/volume/lib/persistent-volume.ts";
import { type Phase, phaseOf, type VolumeObject } from "../../functions/volume/lib/volume.ts";
import type { Tone } from "../parts/state.tsx";

export const toneOf: Readonly<Record<Phase, Tone>> = {
  Unknown: "plain",
  Pending: "busy",
  Available: "good",
  Failed: "bad",
  Terminating: "busy",
};

/** The message of the condition Ready. */
export const messageOf = ({ status }: VolumeObject): string =>
  status?.conditions?.find(({ type }) => type === "Ready")?.message ?? "";

/** How much storage it is to have, or which device it is. */
export function storageOf({ spec }: VolumeObject): string {
  const { sparseLoopDevice, rawBlockDevice, lvmLogicalVolume } = spec;
  if (sparseLoopDevice) return `sparse file, ${sparseLoopDevice.size}`;
  if (rawBlockDevice) return rawBlockDevice.devicePath;
  return lvmLogicalVolume ? `${lvmLogicalVolume.vgName}, ${lvmLogicalVolume.size}` : "";
}

/** The Volume's PersistentVolume among all, which has its name. */
export const persistentVolumeOf = (
  volume: VolumeObject,
  all: ReadonlyMap<string, PersistentVolumeObject>,
): PersistentVolumeObject | undefined => {
  const found = all.get(volume.metadata.name);
  return found && isOf(found, volume) ? found : undefined;
};

const whyPhase: Readonly<Record<Exclude<Phase, "Available" | "Failed">, string>> = {
  Unknown: "No function has looked at the Volume yet: wait until it has a status.",
  Pending: "The storage is being made: wait until the Volume is Available or Failed.",
  Terminating: "The Volume is being deleted already.",
};

/** Why the Volume is not to be deleted now, by the document's decision tree; `undefined` where it may be. */
export function whyNotDeletable(
  volume: VolumeObject,
  persistentVolume: PersistentVolumeObject | undefined,
): string | undefined {
  const phase = phaseOf(volume);
  if (volume.metadata.deletionTimestamp) return whyPhase.Terminating;
  if (isDeletable(phase, persistentVolume && (persistentVolume.status?.phase ?? "Pending"))) return undefined;
  if (phase !== "Available" && phase !== "Failed") return whyPhase[phase];
  const { name, namespace } = persistentVolume?.spec?.claimRef ?? {};
  return persistentVolume?.status?.phase === "Bound"
    ? `Its PersistentVolume is bound to the claim ${namespace}/${name}: delete that claim first.`
    : "Its PersistentVolume is Pending: wait until it is Available, Released or Failed.";
}
