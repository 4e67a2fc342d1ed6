import { SystemError } from "../../../shared/system/system-error.ts";
import type { Salt, SaltJob } from "../lib/salt/client.ts";
import type { JobRecord, Whereabouts } from "../lib/salt/job.ts";
import type { JobOutcome } from "../lib/salt/outcome.ts";

/** A job as the master and the minion of this stand-in have it. */
export interface Run {
  readonly job: SaltJob;
  where: Whereabouts;
  outcome?: JobOutcome;
}

/**
 * Salt without HTTP, for the rules' own tests: minions that a test takes away, and jobs that it ends. Where the
 * protocol matters more than the rules, the stand-in for salt-api is the better one.
 */
export interface SaltForTests extends Salt {
  /** Every post that reached the master, in order. */
  readonly posts: SaltJob[];
  /** What minions began to run, in order: a post of a known id begins nothing. */
  readonly runs: Run[];
  /** How often anything was asked. */
  asked: number;
  /** Minions that listen; the others have keys, and miss what is published. */
  readonly up: Set<string>;
  /** `ends`: a job ends as soon as it has begun; `runs`: when `end` is called; `lost`: it is never seen again. */
  fate: (job: SaltJob) => "ends" | "runs" | "lost";
  outcome: (job: SaltJob) => JobOutcome;
  /** Thrown by every call, as an unreachable Salt or one that refuses. */
  error: SystemError | undefined;
  /** Thrown by posts alone. */
  spawnError: SystemError | undefined;
  end(run: Run): void;
  /** The step and the Volume of each run, in order. */
  ran(): readonly string[];
}

const success = (value: unknown): JobOutcome => ({ end: "success", value });

/** What a node answers whose states do as they should. */
export function outcomeOfJob({ metadata }: SaltJob): JobOutcome {
  const { step, uid } = metadata as { step: string; uid: string };
  return success(step === "PrepareVolume" ? { size: "10737418240", path: `/dev/disk/by-uuid/${uid}` } : {});
}

export function saltForTests(minions: readonly string[]): SaltForTests {
  const published = new Map<string, Run>();
  const answer = () => {
    salt.asked++;
    if (salt.error) throw salt.error;
  };
  const salt: SaltForTests = {
    posts: [],
    runs: [],
    asked: 0,
    up: new Set(minions),
    fate: () => "ends",
    outcome: outcomeOfJob,
    error: undefined,
    spawnError: undefined,
    end(run) {
      run.where = "absent";
      run.outcome = salt.outcome(run.job);
    },
    ran: () => salt.runs.map(({ job }) => `${job.metadata?.step} ${job.metadata?.volume}`),
    async spawn(job) {
      answer();
      if (salt.spawnError) throw salt.spawnError;
      salt.posts.push(job);
      const known = published.get(job.jid);
      if (known && salt.runs.includes(known)) return;
      const run: Run = known ?? { job, where: "absent" };
      published.set(job.jid, run);
      if (!salt.up.has(job.minion)) return;
      salt.runs.push(run);
      const fate = salt.fate(job);
      if (fate === "runs") run.where = "running";
      if (fate === "ends") salt.end(run);
    },
    async readJob(jid): Promise<JobRecord> {
      answer();
      const run = published.get(jid);
      if (!run) return { state: "unknown" };
      return run.outcome ? { state: "ended", outcome: run.outcome } : { state: "pending" };
    },
    async findJob(jid, minion) {
      answer();
      return salt.up.has(minion) ? (published.get(jid)?.where ?? "absent") : "unreachable";
    },
    async lookAtJob(jid, minion) {
      const record = await salt.readJob(jid, minion);
      return record.state === "ended" ? { record } : { record, whereabouts: await salt.findJob(jid, minion) };
    },
    async run({ minion }) {
      answer();
      return salt.up.has(minion) ? { value: { success: true, result: "loop3" } } : undefined;
    },
  };
  return salt;
}

/** What the client throws for an answer that another try does not change. */
export const refusal = (failure: "refused" | "unauthorized" | "unreachable", message: string): SystemError =>
  new SystemError("Salt", failure, message);
