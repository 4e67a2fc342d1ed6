import type { JobOutcome } from "./outcome.ts";

/** What Salt keeps of a job, for one minion. */
export type JobRecord =
  /** The master has no job of this id: it never took one, or has forgotten it (after 24 hours). */
  | { readonly state: "unknown" }
  /** It was published, and the minion's return is not there: it runs, or is lost. */
  | { readonly state: "pending" }
  | { readonly state: "ended"; readonly outcome: JobOutcome };

/** Where a job is on its minion, by the minion itself. */
export type Whereabouts = "running" | "absent" | "unreachable";

/** A look at a job, whose id was written down before it was first posted. Times are in milliseconds since the epoch. */
export interface JobSeen {
  readonly record: JobRecord;
  /**
   * For a pending job. When it is `absent`, `record` was read after the minion had said so: a job that ends between the
   * two questions is neither running nor known to have ended otherwise.
   */
  readonly whereabouts?: Whereabouts;
  readonly jid: string;
  /** When the id was chosen. */
  readonly since: number;
  /** When it was last posted, as far as is written down. */
  readonly posted: number;
  /** The same id has been posted once more after its job was seen to be absent. */
  readonly reposted: boolean;
  /** Which attempt it is, from 1 on. */
  readonly attempt: number;
}

/** What is to be done about a job. `at` is when to look again, in milliseconds since the epoch. */
export type NextStep =
  | { readonly do: "settle"; readonly outcome: Exclude<JobOutcome, { end: "conflict" }> }
  | { readonly do: "wait"; readonly at: number; readonly because: string }
  /** Post the same id: for the first time as far as Salt knows. */
  | { readonly do: "post"; readonly because: string }
  /** Write down `reposted`, and post the same id once more. */
  | { readonly do: "repost"; readonly because: string }
  /** At that time with a new id, as the same attempt: nothing has failed. */
  | { readonly do: "again"; readonly at: number; readonly because: string }
  /** With a new id, as the next attempt: what became of this one cannot be known any more. */
  | { readonly do: "renew"; readonly because: string }
  /** As `renew`, but there have been enough attempts. */
  | { readonly do: "give up"; readonly because: string };

/** How a job is followed, in milliseconds. */
export interface JobPatience {
  /** After a post, the time in which a job need not be seen on its minion yet. */
  readonly grace: number;
  /** Between two looks at a running job: at least, and at most. */
  readonly soonest: number;
  readonly latest: number;
  /** How long the master keeps jobs (`keep_jobs_seconds`). */
  readonly kept: number;
  readonly attempts: number;
}

export const defaultPatience: JobPatience = {
  grace: 10_000,
  soonest: 5_000,
  latest: 60_000,
  kept: 86_400_000,
  attempts: 5,
};

/**
 * The protocol by which a job is run once, and its outcome never lost track of, whatever fails in between.
 *
 * A minion runs an id once as long as it lives, however often it is posted, so that a post may be repeated on doubt.
 * One that was restarted, or was away, runs it again: that is the repair for a job that died with it. One whose job
 * alone was killed, or could not bring its return to a master that was away, swallows the id for ever: only a new one
 * helps, and what is run must bear that.
 */
export function nextStep(seen: JobSeen, now: number, patience: JobPatience = defaultPatience): NextStep {
  const { record, jid } = seen;
  if (record.state === "ended") {
    const { outcome } = record;
    if (outcome.end !== "conflict") return { do: "settle", outcome };
    return { do: "again", at: now + afterConflict(jid, patience), because: `${outcome.because.replace(/\.$/, "")}.` };
  }
  if (record.state === "unknown") {
    // Its minion or its master was away for so long: there is no attempt to be counted.
    if (now - seen.since >= patience.kept)
      return { do: "again", at: now, because: `Salt keeps jobs for a day, and knows nothing of job ${jid} any more.` };
    return { do: "post", because: `Salt does not know job ${jid} yet.` };
  }
  switch (seen.whereabouts) {
    case "running":
      return { do: "wait", at: lookAgain(seen, now, patience), because: `Job ${jid} is running.` };
    case "absent":
      return whenAbsent(seen, now, patience);
    default: {
      const because = `The minion does not answer, so nobody knows whether it runs job ${jid}. Look whether it is up.`;
      return { do: "wait", at: lookAgain(seen, now, patience), because };
    }
  }
}

function whenAbsent(seen: JobSeen, now: number, patience: JobPatience): NextStep {
  const { jid, posted, reposted } = seen;
  const graceEnds = posted + patience.grace;
  if (now < graceEnds) return { do: "wait", at: graceEnds, because: `Job ${jid} was posted a moment ago.` };
  if (!reposted)
    return {
      do: "repost",
      because: `Job ${jid} has no outcome, and the minion does not run it: it may have missed it.`,
    };
  return renew(
    seen,
    patience,
    `The outcome of job ${jid} is lost: the minion does not run it, and has returned nothing.`,
  );
}

function renew({ attempt }: JobSeen, { attempts }: JobPatience, because: string): NextStep {
  if (attempt < attempts) return { do: "renew", because };
  return { do: "give up", because: `${because} It was attempt ${attempt} of ${attempts}.` };
}

/**
 * The longer a job runs the less often it is looked at: its end comes as an event, and looking is for when that is
 * lost.
 */
function lookAgain({ since }: JobSeen, now: number, { soonest, latest }: JobPatience): number {
  return now + Math.min(latest, Math.max(soonest, (now - since) / 2));
}

/**
 * Between one and two times the shortest wait, by the id's last digits, so that those who collided do not come back
 * together.
 */
function afterConflict(jid: string, { soonest }: JobPatience): number {
  return Math.round(soonest * (1 + (Number(jid.slice(-3)) || 0) / 1000));
}
