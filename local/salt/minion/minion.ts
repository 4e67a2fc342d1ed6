import type { Clock } from "../../../shared/clock.ts";
import type { Call, MinionFunction, Return, Running } from "./function.ts";

/** A job as the master publishes it. */
export interface Published extends Call {
  readonly metadata?: unknown;
}

/** A job's return on its way to the master. */
export interface Returned extends Return {
  readonly call: Published;
  readonly minion: string;
}

/** salt-minion on one node. What it remembers goes with its process; the node stays. */
export type Minion = ReturnType<typeof createMinion>;

/** How many ids a minion remembers (`minion_jid_queue_hwm`). */
const remembered = 100;
/** Milliseconds from a minion's start, or its master's, until it listens. */
const connecting = 1000;
/** Milliseconds until a job's process has been forked. */
const forking = 20;

/** A minion that was started long ago. `give` takes its returns to the master. */
export function createMinion(
  id: string,
  functions: Readonly<Record<string, MinionFunction>>,
  clock: Clock,
  give: (returned: Returned) => void,
) {
  let up = true;
  let listens = true;
  let pid = 1000;
  /** The newest last. */
  let known: string[] = [];
  const jobs = new Map<string, Running & { readonly abort: AbortController }>();

  function findJob(jid: unknown): object {
    const found = jobs.get(String(jid));
    return found ? { pid: found.pid, fun: found.call.fun, jid } : {};
  }

  const all: Readonly<Record<string, MinionFunction>> = {
    "test.ping": async () => ({ return: true, retcode: 0 }),
    "saltutil.find_job": async ({ arg, kwarg }) => ({ return: findJob(kwarg.jid ?? arg[0]), retcode: 0 }),
    ...functions,
  };

  async function run(job: Published): Promise<void> {
    const abort = new AbortController();
    const running = { call: job, pid: ++pid, since: clock.now(), abort };
    // Asked by the running job, too, which is not among the others.
    const others = () => [...jobs.values()].filter((other) => other !== running);
    jobs.set(job.jid, running);
    const process = { pid: running.pid, clock, signal: abort.signal, running: others };
    try {
      await clock.sleep(forking, abort.signal);
      const run = all[job.fun];
      const returned = run
        ? await run(job, process)
        : { return: `'${job.fun}' is not available.`, retcode: 254, out: "nested" };
      if (!abort.signal.aborted) give({ ...returned, call: job, minion: id });
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    } finally {
      if (jobs.get(job.jid) === running) jobs.delete(job.jid);
    }
  }

  const kill = (jid: string) => {
    jobs.get(jid)?.abort.abort(new Error("The job's process was killed."));
    jobs.delete(jid);
  };
  const connect = () => {
    listens = false;
    const since = ++connection;
    clock.after(connecting, () => {
      if (up && since === connection) listens = true;
    });
  };
  let connection = 0;

  return {
    id,
    /** Whether it would say so if it were asked. */
    runs: (jid: string) => up && listens && jobs.has(jid),
    /** What is published while it has no connection to the master passes it by, for ever. */
    publish(job: Published) {
      if (!up || !listens || known.includes(job.jid)) return;
      known = [...known, job.jid].slice(-remembered);
      void run(job);
    },
    /** Ends the process, and every job with it: without a return. */
    stop() {
      up = false;
      for (const jid of [...jobs.keys()]) kill(jid);
      known = [];
    },
    start() {
      if (up) return;
      up = true;
      connect();
    },
    /** Ends one job's process; the minion itself lives on, and remembers the job's id. */
    killJob: kill,
    /** Its connection is gone with the master, and made again a second after the master is back. */
    reconnect: connect,
  };
}
