import type { SystemError } from "../../../shared/system/system-error.ts";
import { timeOf } from "../lib/salt/jid.ts";
import type { JobView } from "../lib/salt/job.ts";

/** A job of a Volume, as it is written down. Times are in milliseconds since the epoch. */
export interface Job {
  /** The id, which was written down before it was first posted; `undefined`: none was begun. */
  readonly jid?: string;
  /** Which attempt it is, from 1 on; of a job that pauses, which one comes next. */
  readonly attempt: number;
  /** When the id was last posted. */
  readonly posted: number;
  /** The id was posted once more after the minion had said that it does not run it. */
  readonly reposted: boolean;
  /** The id has ended without having done its work, and another one follows at this time. */
  readonly resumes?: number;
}

/** What a look at a job shows. */
export type Observation =
  /** Salt does not say anything: it is away, or it refuses. */
  | { readonly of: "outage"; readonly error: SystemError }
  /** The node, while no id can do anything there: whether its minion answers. */
  | { readonly of: "node"; readonly answers: boolean }
  /** The id, as Salt has it. */
  | ({ readonly of: "job" } & JobView);

/** What a job waits for. */
export type JobWait = "running" | "no-answer" | "salt-away" | "salt-unauthorized" | "salt-refused";

/** What is to be done about a job. `message` is a whole sentence. */
export type JobAction =
  /** Choose a new id, write it down, and post it. */
  | { readonly do: "begin"; readonly attempt: number; readonly message: string }
  /** Write down that it is posted, and post the id in hand. */
  | { readonly do: "post"; readonly reposted: boolean; readonly message: string }
  /** Write down what it waits for, and look again at `next`. */
  | { readonly do: "wait"; readonly step: JobWait; readonly next: number; readonly message: string }
  /** Leave what is written down as it is: the time to go on stands there. */
  | { readonly do: "pause"; readonly message: string }
  /** `value` is what the function on the node has returned. */
  | { readonly do: "succeed"; readonly value: unknown }
  | { readonly do: "fail"; readonly message: string };

/** How a job is followed. Times are in milliseconds. */
export interface JobPatience {
  /** After a post, the time in which a job need not be seen on its minion yet. */
  readonly grace: number;
  /** Between two looks at a running job: at least, and at most. */
  readonly soonest: number;
  readonly latest: number;
  /** The longest pause between two attempts. */
  readonly longestPause: number;
  /** How long the master keeps jobs (`keep_jobs_seconds`). */
  readonly kept: number;
  /** So many jobs in a row may be lost. */
  readonly attempts: number;
}

export const defaultPatience: JobPatience = {
  grace: 10_000,
  soonest: 5_000,
  latest: 60_000,
  longestPause: 3_600_000,
  kept: 86_400_000,
  attempts: 5,
};

/**
 * The next action for a job. Each job runs once, and its outcome is never lost track of.
 *
 * A minion runs an id once as long as it lives, however often the id is posted, so that a post may be repeated on
 * doubt. A minion that was restarted runs the id again: that repairs a job that died with it. A minion whose job
 * process alone was killed, or could not return to a master that was away, swallows the id for ever: only a new id
 * helps, and the functions on the node must bear that (facts observed on Salt 3008.3).
 */
export function nextJobAction(
  job: Job,
  seen: Observation,
  now: number,
  patience: JobPatience = defaultPatience,
): JobAction {
  switch (seen.of) {
    case "outage":
      return duringOutage(seen.error, now, patience);
    case "node":
      return onNode(job, seen.answers, now, patience);
    case "job":
      return inHand(job, seen, now, patience);
  }
}

function duringOutage({ failure, message }: SystemError, now: number, { latest }: JobPatience): JobAction {
  const step = failure === "unauthorized" || failure === "refused" ? (`salt-${failure}` as const) : "salt-away";
  return { do: "wait", step, next: now + latest, message };
}

function onNode(
  { attempt, resumes = 0 }: Job,
  answers: boolean,
  now: number,
  { latest, longestPause }: JobPatience,
): JobAction {
  // A pause that is longer than any was written by a clock that was wrong.
  if (resumes > now && resumes <= now + longestPause)
    return { do: "pause", message: "It is tried again when its pause is over." };
  if (!answers) return silence(now + latest, "Nothing is begun before it answers");
  return { do: "begin", attempt, message: "" };
}

function inHand(job: Job, { record, whereabouts }: JobView, now: number, patience: JobPatience): JobAction {
  const { jid = "", attempt, reposted } = job;
  const { grace, kept } = patience;
  const later = lookAgain(jid, now, patience);
  const running: JobAction = { do: "wait", step: "running", next: later, message: `Job ${jid} is running.` };
  // A time that is farther ahead than a post may be was written by a clock that was wrong.
  const graceEnds = job.posted - now > grace ? now : job.posted + grace;
  switch (record.state) {
    case "ended":
      if (record.outcome.end === "success") return { do: "succeed", value: record.outcome.value };
      // The job has waited on the node for as long as a pause is, and nothing has failed.
      if (record.outcome.end === "conflict") return { do: "begin", attempt, message: record.outcome.message };
      return { do: "fail", message: record.outcome.message };
    case "unknown":
      // The master keeps jobs for a day, so that the id did run, or its minion was away for as long: no attempt.
      if (now - timeOf(jid) >= kept) return { do: "begin", attempt, message: `Salt has forgotten job ${jid}.` };
      // The instance that wrote the id down is about to post it.
      if (now < graceEnds) return { ...running, next: graceEnds };
      if (whereabouts === "unreachable") return silence(later, `Job ${jid} is posted when it answers`);
      return { do: "post", reposted, message: `Salt does not know job ${jid} yet: it is posted.` };
    case "pending":
      if (whereabouts === "running") return running;
      if (whereabouts !== "absent") return silence(later, `Whether it runs job ${jid} is not known`);
      if (now < graceEnds) return { ...running, next: graceEnds };
      if (!reposted)
        return {
          do: "post",
          reposted: true,
          message: `The minion may have missed job ${jid}: it is posted once more.`,
        };
      return lost(jid, attempt, patience);
  }
}

function lost(jid: string, attempt: number, { attempts }: JobPatience): JobAction {
  const message = `The outcome of job ${jid} is lost: the minion does not run it, and has returned nothing.`;
  if (attempt < attempts) return { do: "begin", attempt: attempt + 1, message };
  return { do: "fail", message: `${message} It was attempt ${attempt} of ${attempts}.` };
}

const silence = (next: number, consequence: string): JobAction => ({
  do: "wait",
  step: "no-answer",
  next,
  message:
    `The minion does not answer. ${consequence}. Look whether the node and its salt-minion run, and whether the ` +
    "Salt master has accepted the minion's key.",
});

/** The longer a job runs the less often it is looked at: its end comes as an event, and looks are for a lost one. */
function lookAgain(jid: string, now: number, { soonest, latest }: JobPatience): number {
  return now + Math.min(latest, Math.max(soonest, (now - timeOf(jid)) / 2));
}
