import type { Exchange } from "../../../../shared/system/exchange.ts";
import { SystemError } from "../../../../shared/system/system-error.ts";
import { jobAnswer, jobReturn, localAnswer, localReturn, readAnswer, spawnAnswer, strangeAnswer } from "./answers.ts";
import { isJid } from "./jid.ts";
import type { JobRecord, JobView, Whereabouts } from "./job.ts";
import { outcomeOf } from "./outcome.ts";
import type { Asked } from "./refusal.ts";
import { type Account, openSession, type Send } from "./session.ts";

/** A function call on one minion. */
export interface SaltCall {
  readonly minion: string;
  /** For example `state.sls`. */
  readonly fun: string;
  /**
   * Arguments by name only: of a positional text, Salt takes `a=b` for a named argument, and its value for YAML. Never
   * `queue` of state.sls: a job in a queue cannot be found.
   */
  readonly kwarg?: Readonly<Record<string, unknown>>;
}

/** A call to be run as a job, under an id that the caller has chosen and written down before. */
export interface SaltJob extends SaltCall {
  readonly jid: string;
  /** Travels with the job and in the event of its end. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * Salt through salt-api. Every failure is a {@link SystemError}; where one is `unreachable` it is not known whether the
 * request was carried out, and each of these may be repeated then.
 */
export interface Salt {
  /**
   * Publishes a job. The minion runs an id once while it lives, however often it is published; one that does not listen
   * at the moment never runs it, and that is not answered here.
   *
   * @throws SystemError `refused` when Salt has no minion of this id.
   */
  spawn(job: SaltJob): Promise<void>;
  /**
   * What the master keeps of a job. Only the minion's own return counts: function and arguments are those of the last
   * post.
   */
  readJob(jid: string, minion: string): Promise<JobRecord>;
  /** Asks the minion itself. What is not its own clear answer counts as unreachable. Needs no right. */
  findJob(jid: string, minion: string): Promise<Whereabouts>;
  /** What the next action for a job depends on, read in the right order. */
  lookAtJob(jid: string, minion: string): Promise<JobView>;
  /**
   * Runs a short function and waits for its value: for questions, never for work. `undefined` when the minion does not
   * answer.
   */
  run(call: SaltCall): Promise<{ readonly value: unknown } | undefined>;
}

/** A client over a session of its own. No I/O before the first call. */
export function saltClient(exchange: Exchange, account: Account): Salt {
  const send = openSession(exchange, account);
  const readJob = (jid: string, minion: string) => read(send, jid, minion);
  const findJob = (jid: string, minion: string) => find(send, jid, minion);
  return {
    spawn: (job) => spawn(send, job),
    readJob,
    findJob,
    async lookAtJob(jid, minion) {
      const record = await readJob(jid, minion);
      if (record.state === "ended") return { record };
      const whereabouts = await findJob(jid, minion);
      if (record.state === "unknown" || whereabouts !== "absent") return { record, whereabouts };
      // It may have ended between the two questions.
      const again = await readJob(jid, minion);
      return again.state === "pending" ? { record: again, whereabouts } : { record: again };
    },
    run: (call) => run(send, call),
  };
}

async function spawn(send: Send, { jid, minion, fun, kwarg, metadata }: SaltJob): Promise<void> {
  requireJid(jid);
  const asked = { what: `run ${fun} on ${minion}`, grant: `${fun} on ${minion}` };
  const body = { client: "local_async", tgt: requireMinion(minion), fun, kwarg, jid, metadata };
  const [answer] = readAnswer(asked.what, spawnAnswer, await send(asked, { method: "POST", path: "/", body })).return;
  if (!("jid" in answer)) throw noSuchMinion(minion);
  const { jid: given, minions } = answer as { jid: string; minions: string[] };
  if (given !== jid) throw strangeAnswer(asked.what, `about job ${given} instead of ${jid}`);
  if (!minions.includes(minion)) throw strangeAnswer(asked.what, `about other minions (${minions.join(", ")})`);
}

async function read(send: Send, jid: string, minion: string): Promise<JobRecord> {
  const path = `/jobs/${requireJid(jid)}`;
  const asked = { what: `show job ${jid}`, grant: "@jobs" };
  const [job] = readAnswer(asked.what, jobAnswer, await send(asked, { method: "GET", path })).info;
  if (job.jid !== jid) throw strangeAnswer(asked.what, `about job ${job.jid}`);
  if (!Object.hasOwn(job.Result, minion)) return { state: job.Error === undefined ? "pending" : "unknown" };
  const returned = jobReturn.safeParse(job.Result[minion]);
  if (!returned.success) throw strangeAnswer(asked.what, `without a return and its code for ${minion}`);
  return { state: "ended", outcome: outcomeOf(returned.data) };
}

async function find(send: Send, jid: string, minion: string): Promise<Whereabouts> {
  const returned = await local(send, { minion, fun: "saltutil.find_job", kwarg: { jid: requireJid(jid) } });
  if (returned?.retcode !== 0) return "unreachable";
  const job = returned.ret;
  if (typeof job !== "object" || job === null || Array.isArray(job)) return "unreachable";
  if (Object.keys(job).length === 0) return "absent";
  if ("jid" in job && job.jid === jid) return "running";
  throw strangeAnswer(`find job ${jid} on ${minion}`, `about another job: ${JSON.stringify(job).slice(0, 120)}`);
}

async function run(send: Send, call: SaltCall): Promise<{ value: unknown } | undefined> {
  const returned = await local(send, call);
  return returned && { value: returned.ret };
}

/** Runs a function and waits for it. `undefined` when the minion is not there. */
async function local(send: Send, { minion, fun, kwarg }: SaltCall) {
  const asked: Asked = { what: `run ${fun} on ${minion}`, grant: `${fun} on ${minion}` };
  // Salt waits so many seconds for the return, and again for an answer to whether the minion is there: 11 s by default.
  const patience = { timeout: 1, gather_job_timeout: 1 };
  const body = { client: "local", tgt: requireMinion(minion), fun, kwarg, full_return: true, ...patience };
  const [returns] = readAnswer(asked.what, localAnswer, await send(asked, { method: "POST", path: "/", body })).return;
  if (Object.keys(returns).length === 0) return undefined;
  if (!Object.hasOwn(returns, minion))
    throw strangeAnswer(asked.what, `about other minions (${Object.keys(returns).join(", ")})`);
  const returned = localReturn.safeParse(returns[minion]);
  if (!returned.success) throw strangeAnswer(asked.what, `not what a minion returns`);
  // A minion that does not answer is spoken for by the master, in a text.
  return returned.data.out === "no_return" ? undefined : returned.data;
}

/** An id goes into a path, and on the master into names of files. */
function requireJid(jid: string): string {
  if (isJid(jid)) return jid;
  throw new SystemError("Salt", "refused", `${JSON.stringify(jid)} is no id of a Salt job: 20 digits were expected.`);
}

/** Targets are patterns: one with a star would be run everywhere. */
function requireMinion(minion: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(minion)) return minion;
  throw new SystemError(
    "Salt",
    "refused",
    `${JSON.stringify(minion)} is no id of a Salt minion: a node's name was expected.`,
  );
}

function noSuchMinion(minion: string): SystemError {
  return new SystemError(
    "Salt",
    "refused",
    `Salt has no minion ${minion}. Install salt-minion on that node with the node's name as its id, and accept its ` +
      `key on the Salt master (salt-key --accept=${minion}).`,
  );
}
