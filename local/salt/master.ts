import type { Clock } from "../../shared/clock.ts";
import type { Minion, Published, Returned } from "./minion/minion.ts";

/**
 * What the master sends out when a job has returned, `salt/job/<jid>/ret/<minion>`; at most once, to its listeners.
 */
export interface JobReturned {
  readonly jid: string;
  /** The minion's. */
  readonly id: string;
  readonly fun: string;
  readonly retcode: number;
  readonly metadata?: unknown;
  /** ISO 8601. */
  readonly _stamp: string;
}

/** The master: the jobs that it has published, and what was returned. */
export type Master = ReturnType<typeof createMaster>;

interface Job {
  /** When it was last published, in milliseconds since the epoch. */
  readonly at: number;
  readonly results: Map<string, object & { return: unknown; retcode: number }>;
}

/** How long jobs are kept, in milliseconds (`keep_jobs_seconds`). */
const kept = 86_400_000;

/** A master with its job cache, which is on its disk and outlives it. */
export function createMaster(
  minions: ReadonlyMap<string, Minion>,
  clock: Clock,
  onReturn: (event: JobReturned) => void,
) {
  const jobs = new Map<string, Job>();

  function find(jid: string): Job | undefined {
    const job = jobs.get(jid);
    if (!job || clock.now() - job.at < kept) return job;
    jobs.delete(jid);
    return undefined;
  }

  return {
    minions,
    /** Publishes a job to the minions that a glob matches, and answers with their ids. */
    publish(job: Published, target: string) {
      const matched = [...minions.keys()].filter((id) => matches(target, id));
      if (matched.length === 0) return [];
      // A job of this id is known again, whether or not anything is run; what it returned stays.
      jobs.set(job.jid, { at: clock.now(), results: find(job.jid)?.results ?? new Map() });
      for (const id of matched) minions.get(id)?.publish(job);
      return matched;
    },
    /** What rules read of what `jobs.list_job` shows: what the minions have returned. */
    show(jid: string) {
      const found = find(jid);
      return found
        ? { jid, Result: Object.fromEntries(found.results) }
        : { jid, Error: "Cannot contact returner or no job with this jid", Result: {} };
    },
    /** What a minion returned for a job. */
    returned: (jid: string, minion: string) => find(jid)?.results.get(minion),
    take({ call, minion, return: returned, retcode, out }: Returned) {
      const success = retcode === 0;
      const result = { return: returned, retcode, success, ...(out === undefined ? {} : { out }) };
      const results = find(call.jid)?.results;
      // The first is kept: a second one may be a replay.
      if (results && !results.has(minion)) results.set(minion, result);
      onReturn({
        jid: call.jid,
        id: minion,
        fun: call.fun,
        retcode,
        ...(call.metadata === undefined ? {} : { metadata: call.metadata }),
        _stamp: `${new Date(clock.now()).toISOString().slice(0, -1)}000+00:00`,
      });
    },
  };
}

function matches(target: string, id: string): boolean {
  const pattern = target
    .replaceAll(/[.+^${}()|\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${pattern}$`).test(id);
}
