import type { output, ZodObject } from "zod";
import { about } from "../about.ts";
import { Contended } from "../contended.ts";
import type { Decision } from "../decision.ts";
import { ApiError, isAlreadyExists, isConflict, isExpired } from "../kubernetes/api-error.ts";
import type { Client } from "../kubernetes/client.ts";
import { describe, referenceTo } from "../kubernetes/object.ts";
import { partly } from "../look-at-each.ts";
import { mapConcurrently } from "../map-concurrently.ts";
import { type Conflict, type Outcome, outcomeOf } from "../outcome.ts";
import { readProgress } from "../progress.ts";
import { progressNameOf, type Rule, type View } from "../rule.ts";
import { isObject, merged, nameOf, type Subject } from "../subject.ts";
import { NoConnection } from "../system/command.ts";
import { type Connect, clientsOf } from "../system/connect.ts";
import type { Systems } from "../system/system.ts";
import { SystemError } from "../system/system-error.ts";
import type { Observe } from "../telemetry/observe.ts";
import { pauseOf, recoveryOf, reportAway } from "./away.ts";
import { type Afterwards, execute } from "./execute.ts";
import type { ExecuteContext } from "./execute-context.ts";
import { permissionsAsSet } from "./permissions-as-set.ts";
import { type PlannedRule, plan } from "./plan.ts";
import { reportRefusal } from "./report-refusal.ts";
import { stopOnNewerProgress } from "./stop-on-newer-progress.ts";
import type { Tools } from "./tools.ts";

/**
 * What the last look of a run came to: by object name, so that a request is answered for the objects it asked about.
 * Several decisions may be about one object, or about objects of one name.
 */
export interface RunResult {
  readonly outcomes: ReadonlyMap<string, readonly Outcome[]>;
  /** Set when the run ended before it could decide. */
  readonly failed?: Outcome;
  /** What came of an object that could not be looked at, while others were. */
  readonly lost?: Outcome;
  /** What came of objects that no request named, and the request that answers for them: one retry is enough. */
  readonly unnamed?: { readonly by: Subject; readonly outcomes: readonly Outcome[] };
}

/** A subject to look at, and the id of the event that asks for it. */
export interface RunRequest {
  readonly subject: Subject;
  readonly event: string;
}

/** What runs a rule once for all requests of one key: on everything that they ask for. */
export function runOf<Schema extends ZodObject, Facts, Used extends Systems>(
  rule: Rule<Schema, Facts, Used>,
  tools: Tools<output<Schema>>,
): (key: string, requests: readonly RunRequest[]) => Promise<RunResult> {
  const { connect = connectNone, clock, log, settings, observe } = tools;
  const held = { ...rule, permissions: permissionsAsSet(rule.permissions, settings) };
  /** Made once, for its connections. */
  let made: { readonly own: Client; readonly client: Promise<Client> } | undefined;
  const clientOf = async (own: Client): Promise<Client> => {
    if (!rule.client) return own;
    if (made?.own !== own) made = { own, client: Promise.resolve(rule.client(own, settings, tools.observedClient)) };
    return made.client.catch((error) => {
      // What could not be read may be there at the next event.
      made = undefined;
      throw error;
    });
  };
  return async (_, requests) => {
    const subject = merged(requests.map(({ subject }) => subject));
    if (!subject) return { outcomes: new Map() };
    const client = await clientOf(await tools.client());
    const events = requests.map(({ event }) => event);
    const view = { client, settings, ...clientsOf(rule, connect) };
    const result = await run(held, subject, events, view, { client, connect, clock, log, observe });
    const by = requests[0]?.subject;
    if (!by || !subject.members) return result;
    const named = new Set(subject.members);
    const others = [...result.outcomes].flatMap(([name, outcomes]) => (named.has(name) ? [] : outcomes));
    return { ...result, unnamed: { by, outcomes: others } };
  };
}

const connectNone: Connect = ({ name }) => {
  throw new Error(`There is no connection to ${name}.`);
};

const looks = 3;
/**
 * Looks, decides and acts. A conflict, or a list whose continue token expired, means that the facts have changed: look
 * and decide again, at most three times in all, then leave it to the broker (503).
 */
export function run<Schema extends ZodObject, Facts, Used extends Systems>(
  rule: Rule<Schema, Facts, Used>,
  subject: Subject,
  events: readonly string[],
  view: View<output<Schema>, Used>,
  context: ExecuteContext,
): Promise<RunResult> {
  const observe: Observe = context.observe ?? ((_, work) => work());
  const part = { name: "run", rule: rule.name, subject, events } as const;
  return observe(part, () => runObserved(rule, subject, events, view, context, observe));
}

async function runObserved<Schema extends ZodObject, Facts, Used extends Systems>(
  rule: Rule<Schema, Facts, Used>,
  subject: Subject,
  events: readonly string[],
  view: View<output<Schema>, Used>,
  context: ExecuteContext,
  observe: Observe,
): Promise<RunResult> {
  for (let look = 1; ; look++) {
    const outcomes = new Map<string, Outcome[]>();
    const settle = ({ about: { metadata } }: Decision, outcome: Outcome) =>
      outcomes.set(metadata.name, [...(outcomes.get(metadata.name) ?? []), outcome]);
    let contended = false;
    const failed: { readonly decision: Decision; readonly outcome: Outcome }[] = [];
    try {
      const { facts, failures } = await partly(() => rule.look(subject, view));
      const own = rule.decide(facts, context.clock.now(), view.settings);
      const decided = [...own, ...(await afterOutage(rule, subject, own, context))];
      const heeds = rule.progress === "load-bearing";
      const decisions = heeds ? decided.map((decision) => stopOnNewerProgress(rule, decision)) : decided;
      const afterwards: Afterwards[] = [];
      const carryOut = async (decision: Decision) => {
        const before = () => readProgress(decision.about, progressNameOf(rule));
        const part = { name: "decision", rule: rule.name, decision, before } as const;
        const outcome = await observe(part, () => act(rule, decision, context, afterwards));
        if ("conflict" in outcome && look < looks) {
          contended = true;
          return;
        }
        const final = "conflict" in outcome ? outcome.conflict : outcome;
        if (isFailure(final)) failed.push({ decision, outcome: final });
        settle(decision, final);
        report(rule.name, decision, final, events, context);
      };
      const orders = [...new Set(decisions.map(orderOf))].toSorted((one, other) => one - other);
      for (const order of orders) {
        const next = decisions.filter((decision) => orderOf(decision) === order);
        // Of a lower order: those of this one hold nothing back.
        const before = [...failed];
        const ready: Decision[] = [];
        for (const decision of next) {
          const holding = before.find((one) => mayDepend(decision, one.decision));
          if (holding) settle(decision, holding.outcome);
          else ready.push(decision);
        }
        if (!contended) await mapConcurrently(ready, carryOut);
      }
      await mapConcurrently(afterwards, (finish) => finish());
      if (contended) continue;
      for (const { object, error } of failures) {
        const failed = await outcomeOfError(rule, object, error, context);
        reportFailed(rule.name, object, failed, events, context);
        outcomes.set(object.name, [...(outcomes.get(object.name) ?? []), failed]);
      }
      const lost = failures.flatMap(({ object }) => outcomes.get(object.name)?.find(isFailure) ?? [])[0];
      return lost ? { outcomes, lost } : { outcomes };
    } catch (error) {
      if ((isExpired(error) || isConflict(error) || error instanceof Contended) && look < looks) continue;
      const failed = await outcomeOfError(rule, subject, error, context);
      reportFailed(rule.name, subject, failed, events, context);
      return { outcomes, failed };
    }
  }
}

/**
 * Plans a decision and carries it out: at most one guarded step. Returns a conflict when the object is not what was
 * looked at any more; every other failure becomes an outcome.
 */
async function act(
  rule: PlannedRule,
  decision: Decision,
  context: ExecuteContext,
  afterwards: Afterwards[],
): Promise<Outcome | Conflict> {
  const pause = decision.do === "call" ? pauseOf(rule, decision.about, context.clock.now()) : undefined;
  if (pause) return pause;
  try {
    const { result, operations } = plan(rule, decision, context.clock.now());
    await execute(rule, decision, operations, context, afterwards);
    return { result, status: 204, message: decision.message };
  } catch (thrown) {
    const isUnsent = thrown instanceof NoConnection;
    const error = isUnsent ? thrown.cause : thrown;
    if (isConflict(error) || isAlreadyExists(error) || error instanceof Contended)
      return { conflict: tooOften(decision, error) };
    // Of a command that a system refuses for good, its own Event on the object says so.
    const isSaid = decision.do === "call" && error instanceof SystemError && isFinal(error);
    if (isSaid) return outcomeOf(error);
    if (error instanceof ApiError) await reportRefusal(rule, decision, error, context);
    const { kind, about } = decision;
    const { namespace, name } = about.metadata;
    return outcomeOfError(rule, { kind, name, ...(namespace ? { namespace } : {}) }, error, context, isUnsent);
  }
}

/**
 * The outcome of an error. An external system that is away is written down on the object that could not be looked at or
 * worked on, where the subject is one object: a fresh read of it, because an intent may have been written meanwhile.
 */
async function outcomeOfError(
  rule: PlannedRule,
  subject: Subject,
  error: unknown,
  context: ExecuteContext,
  isUnsent = false,
): Promise<Outcome> {
  if (!(error instanceof SystemError) || !isObject(subject)) return outcomeOf(error);
  const { kind, namespace, name } = subject;
  const object = await context.client.get(kind, namespace, name).catch(() => undefined);
  return object ? reportAway(rule, kind, object, error, context, isUnsent) : outcomeOf(error);
}

const isFinal = ({ failure }: SystemError) => failure === "unauthorized" || failure === "refused";

/** What was intended has not been done. */
const isFailure = ({ result }: Outcome) => result === "failed" || result === "away";

/**
 * What the rule has written down about an outage goes, also where it has nothing to say about the object any more.
 * A decision about the object clears it by itself.
 */
async function afterOutage(
  rule: PlannedRule,
  subject: Subject,
  decisions: readonly Decision[],
  { client, clock }: ExecuteContext,
): Promise<readonly Decision[]> {
  if (!rule.systems || !isObject(subject)) return [];
  const { kind, namespace, name } = subject;
  if (decisions.some((decision) => decision.kind.kind === kind.kind && decision.about.metadata.name === name))
    return [];
  const object = await client.get(kind, namespace, name);
  if (!object || !recoveryOf(rule, object, clock.now())) return [];
  return [about(kind, object).wait(`${describe(referenceTo(object))} waits for nothing that was away.`)];
}

const orderOf = (decision: Decision) => (decision.do === "write" ? (decision.order ?? 0) : 0);
const concernOf = (decision: Decision) => (decision.do === "write" ? decision.concern : undefined);

/** Whether one decision must not come after a failure of the other: it may where both say that they concern others. */
function mayDepend(one: Decision, other: Decision): boolean {
  const [its, failed] = [concernOf(one), concernOf(other)];
  return its === undefined || failed === undefined || its === failed;
}

function report(
  ruleName: string,
  decision: Decision,
  outcome: Outcome,
  events: readonly string[],
  { log }: ExecuteContext,
): void {
  const { about, message } = decision;
  const fields = {
    rule: ruleName,
    events: some(events),
    object: describe(referenceTo(about)),
    uid: about.metadata.uid,
    decision: decision.do,
    ...(isFailure(outcome) ? { status: outcome.status, intended: message } : {}),
  };
  if (outcome.result === "failed") log.error(fields, outcome.message);
  else if (outcome.result === "away") log.warn(fields, outcome.message);
  else if (outcome.result === "leave") log.debug(fields, message);
  else if (decision.do === "stop") log.warn(fields, message);
  else log.info(fields, message);
}

/** Of what could not be looked at. */
function reportFailed(
  rule: string,
  subject: Subject,
  { result, status, message }: Outcome,
  events: readonly string[],
  { log }: ExecuteContext,
): void {
  const fields = { rule, subject: nameOf(subject), events: some(events), status };
  if (result === "away") log.warn(fields, message);
  else log.error(fields, message);
}

/** Ids of the events that share the run: enough to follow one, not a thousand on every line. */
const some = (events: readonly string[]) =>
  events.length <= 5 ? events : [...events.slice(0, 5), `and ${events.length - 5} more`];

/** What is contended may be another object than the one that the decision is about: its own sentence says what. */
function tooOften({ about }: Decision, error: Error): Outcome {
  const why =
    error instanceof Contended
      ? `${error.message} This was the last of ${looks} attempts, and each found a change`
      : `${describe(referenceTo(about))} changed under every one of ${looks} attempts`;
  return { result: "failed", status: 503, message: `${why}; the event will be delivered again.` };
}
