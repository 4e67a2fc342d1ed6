import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { type JobStep, writeJobHandle } from "./job-handle.ts";
import { type JobInput, jidFor, jobOf, spawn } from "./jobs.ts";
import { Volume } from "./kinds.ts";
import { firstLook } from "./pauses.ts";
import type { Common } from "./settings.ts";
import { statusWrites } from "./volume.ts";

/** What the Volume is, while a job of the step is in hand. */
export const phaseDuring = {
  PrepareVolume: "Pending",
  GetDeviceInfo: "Pending",
  UnprepareVolume: "Terminating",
} as const satisfies Record<JobStep, string>;

/** A new job, and why it is begun: a sentence without its full stop. */
export interface NewJob {
  readonly step: JobStep;
  readonly attempt: number;
  readonly because: string;
}

/**
 * Begins a job under an id of its own, which is on the Volume before Salt hears of it. The step `posted` remembers, of
 * this id, which attempt it is and when it was posted.
 */
export function spawnJob({ step, attempt, because }: NewJob, input: JobInput, now: number, settings: Common): Decision {
  const { volume } = input;
  const jid = jidFor(step, volume, attempt, now);
  const message = `${because} (job ${jid}).`;
  const job = writeJobHandle({ step, jid });
  return about(Volume, volume).call(message, {
    step: { name: "posted", attempt, details: { jid, posted: now } },
    writes: statusWrites(volume, { phase: phaseDuring[step], message, job }, now),
    command: spawn(jobOf(step, jid, input, settings)),
    next: now + firstLook,
  });
}
