import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { silent, warning } from "../../../shared/steps.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import { dueIn } from "./due.ts";
import { follow, followed, followedStep, type LookAtJob } from "./follow.ts";
import type { JobHandle } from "./job-handle.ts";
import { type JobInput, jobOf, spawn } from "./jobs.ts";
import { Volume } from "./kinds.ts";
import { firstLook } from "./pauses.ts";
import type { Salt } from "./salt/client.ts";
import type { JobOutcome } from "./salt/outcome.ts";
import type { Common } from "./settings.ts";
import { phaseDuring, spawnJob } from "./spawn-job.ts";
import { statusWrites } from "./volume.ts";

/** A job as Salt has it, or why Salt does not say: for good, until a person has done something about it. */
export type SeenJob = LookAtJob | { readonly refused: string };

/**
 * Asks Salt for a job.
 *
 * @throws SystemError when another try may help.
 */
export async function seeJob(salt: Salt, jid: string, minion: string): Promise<SeenJob> {
  try {
    return await salt.lookAtJob(jid, minion);
  } catch (error) {
    if (error instanceof SystemError && (error.failure === "refused" || error.failure === "unauthorized"))
      return { refused: error.message };
    throw error;
  }
}

/** The steps of a rule that pursues jobs. */
export const pursuitSteps = {
  running: silent,
  conflict: silent,
  posted: silent,
  "no-answer": warning("MinionNotAnswering"),
  refused: warning("SaltRefused"),
};

export interface Pursuit {
  readonly ruleName: string;
  readonly run: Required<JobHandle>;
  readonly input: JobInput;
  readonly seen: SeenJob;
  /** The node is free, and it is this Volume's turn there: the pause after a conflict is over. */
  readonly isNext?: boolean;
  readonly now: number;
  readonly settings: Common;
}

/** What becomes of the Volume. */
export interface Ends {
  succeeded(outcome: Extract<JobOutcome, { end: "success" }>): Decision;
  failed(because: string): Decision;
  /** In place of the same id once more: `undefined` where nothing speaks against it. */
  insteadOfPost?(): Decision | undefined;
  /** In place of a new job after one that did nothing or was lost: `undefined` where nothing speaks against it. */
  insteadOfRenewal?(because: string): Decision | undefined;
}

/** When to look again for an account or a minion that somebody must put right. Milliseconds. */
const untilMended = 60_000;

/** Follows a job to its end: waits for it, posts it again on doubt, begins it anew when it is lost. */
export function pursue({ ruleName, run, input, seen, isNext, now, settings }: Pursuit, ends: Ends): Decision {
  const { volume } = input;
  const { wait, write, call } = about(Volume, volume);
  if ("refused" in seen) {
    const step = followedStep("refused", { jid: run.jid, ...followed(volume, ruleName, run.jid) });
    const next = dueIn(untilMended, volume, ruleName, "refused", now);
    const writes = statusWrites(volume, { phase: phaseDuring[run.step], message: seen.refused }, now);
    return write(seen.refused, writes, { step, next });
  }
  const following = follow(volume, ruleName, run.jid, seen, now, isNext);
  switch (following.do) {
    case "settle":
      return following.outcome.end === "success"
        ? ends.succeeded(following.outcome)
        : ends.failed(following.outcome.because);
    case "wait":
      return wait(following.because, { step: following.step, next: following.next });
    case "post": {
      const command = spawn(jobOf(run.step, run.jid, input, settings));
      const { because, step } = following;
      return ends.insteadOfPost?.() ?? call(because, { step, command, next: now + firstLook });
    }
    case "renew": {
      const { attempt, because } = following;
      const anew = { step: run.step, attempt, because: `${because} It is begun again` };
      return ends.insteadOfRenewal?.(because) ?? spawnJob(anew, input, now, settings);
    }
    case "give up":
      return ends.insteadOfRenewal?.(following.because) ?? ends.failed(following.because);
  }
}
