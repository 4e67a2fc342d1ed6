import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { dueIn } from "./due.ts";
import { Volume } from "./kinds.ts";
import { nextLook } from "./pauses.ts";
import { type Phase, statusWrites, type VolumeObject } from "./volume.ts";

/**
 * Says on the Volume what it waits for, and has it looked at again. `because`: a whole sentence that says what to do.
 */
export function waiting(
  ruleName: string,
  volume: VolumeObject,
  step: string,
  phase: Exclude<Phase, "Unknown">,
  because: string,
  now: number,
): Decision {
  const next = dueIn(nextLook, volume, ruleName, step, now);
  const writes = statusWrites(volume, { phase, message: because }, now);
  return about(Volume, volume).write(because, writes, { step: { name: step }, next });
}

/** A class that is missing while a Volume is made. */
export function classMissing(ruleName: string, volume: VolumeObject, now: number): Decision {
  const { metadata, spec } = volume;
  const goesOn = `Volume ${metadata.name} goes on by itself`;
  const because = `StorageClass ${spec.storageClassName} does not exist: create it, and ${goesOn}.`;
  return waiting(ruleName, volume, "class-missing", "Pending", because, now);
}
