import type { Step } from "../../../shared/decision.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readProgress } from "../../../shared/progress.ts";
import { dueIn } from "./due.ts";
import { timeOf } from "./jobs.ts";
import { defaultPatience, type JobSeen, type NextStep, nextStep } from "./salt/job.ts";
import type { JobOutcome } from "./salt/outcome.ts";

/** The rule that follows runs of states. */
export const settleName = "volume/settle";

/** A job as Salt has it. */
export type LookAtJob = Pick<JobSeen, "record" | "whereabouts">;

/** What is to be done about a job: as Salt's protocol has it, with a conflict's pause over or not. */
export type Following =
  | { readonly do: "settle"; readonly outcome: Exclude<JobOutcome, { end: "conflict" }> }
  /** Write `step` down, and look again at `next`. */
  | { readonly do: "wait"; readonly step: Step; readonly next: number; readonly because: string }
  /** Write `step` down, and post the same id. */
  | { readonly do: "post"; readonly step: Step; readonly because: string }
  /** Begin the work anew under another id. */
  | { readonly do: "renew"; readonly attempt: number; readonly because: string }
  | { readonly do: "give up"; readonly because: string };

/** The steps of a rule that follows jobs, and what they keep: the id that they are about, and when it was posted. */
interface Followed {
  readonly attempt: number;
  readonly posted: number;
  readonly reposted: boolean;
  /** The pause after a conflict ends then. Milliseconds since the epoch. */
  readonly resumes: number | undefined;
}

/**
 * Whether the rule has looked at the job and has written down when to look again: then Salt's signal and the sweep say
 * when, and its own writes, which come back as events, are no reason to ask Salt again.
 */
export function isFollowed(object: KubernetesObject, ruleName: string, jid: string): boolean {
  const progress = readProgress(object, ruleName);
  return progress?.jid === jid && progress.next !== undefined;
}

/**
 * What is to be done about the job `jid` of the object, by what Salt says and by what the rule has written down about
 * this very id. Where nothing is written down the job counts as posted when its id was chosen, and as the first
 * attempt: what is lost is the count of attempts, no more. `isNext`: the node is free, so that a pause after a conflict
 * is over.
 */
export function follow(
  object: KubernetesObject,
  ruleName: string,
  jid: string,
  seen: LookAtJob,
  now: number,
  isNext = false,
): Following {
  const { grace } = defaultPatience;
  const { attempt, posted, reposted, resumes } = followed(object, ruleName, jid);
  const step = (name: string, more: object = {}): Step => followedStep(name, { jid, attempt, posted, reposted }, more);
  const wait = (name: string, at: number, because: string): Following => {
    const next = dueIn(at - now, object, ruleName, name, now);
    return { do: "wait", step: step(name), next, because };
  };
  // A time that is farther ahead than a post may be was written by a clock that was wrong: nothing is to be awaited for
  // its sake.
  const sent = posted - now > grace ? now - grace : posted;
  const next = nextStep({ ...seen, jid, since: timeOf(jid), posted: sent, reposted, attempt }, now);
  const { because } = next as Exclude<NextStep, { do: "settle" }>;
  switch (next.do) {
    case "settle":
      return next;
    case "wait":
      return wait(isSilent(seen) ? "no-answer" : "running", next.at, because);
    case "post":
      // Whoever wrote the id down is about to post it.
      if (now < sent + grace) return wait("running", sent + grace, because);
      return { do: "post", step: step("posted", { posted: now }), because };
    case "repost":
      return { do: "post", step: step("posted", { posted: now, reposted: true }), because };
    case "again":
      if (isNext || (resumes !== undefined && resumes <= now)) return { do: "renew", attempt, because };
      return wait("conflict", next.at, because);
    case "renew":
      return { do: "renew", attempt: attempt + 1, because };
    case "give up":
      return { do: "give up", because };
  }
}

/** A step that keeps what is known of the job; for steps of a rule's own, too. */
export function followedStep(
  name: string,
  { jid, attempt, posted, reposted }: Omit<Followed, "resumes"> & { readonly jid: string },
  more: object = {},
): Step {
  return { name, attempt, details: { jid, posted, ...(reposted ? { reposted } : {}), ...more } };
}

/** What is written down about the job of this id. */
export function followed(object: KubernetesObject, ruleName: string, jid: string): Followed {
  const progress = readProgress(object, ruleName);
  if (progress?.jid !== jid) {
    // Whoever noted the next attempt may have died before its id was written: what was counted until then stays
    // counted.
    const isNext = typeof progress?.jid === "string" && progress.jid > jid;
    const attempt = isNext ? Math.max(1, (progress.attempt ?? 1) - 1) : 1;
    return { attempt, posted: timeOf(jid), reposted: false, resumes: undefined };
  }
  const { attempt = 1, posted, reposted, step, next } = progress;
  return {
    attempt,
    posted: typeof posted === "number" ? posted : timeOf(jid),
    reposted: reposted === true,
    resumes: step === "conflict" && next ? Date.parse(next) : undefined,
  };
}

const isSilent = ({ record, whereabouts }: LookAtJob): boolean =>
  record.state === "pending" && whereabouts !== "running" && whereabouts !== "absent";
