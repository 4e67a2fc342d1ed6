import type { ZodObject } from "zod";
import type { Clock } from "../clock.ts";
import { Contended } from "../contended.ts";
import type { Call, Decision, Proviso, Step, Stop, Wait, WriteStep } from "../decision.ts";
import { isAlreadyExists, isConflict } from "../kubernetes/api-error.ts";
import type { Client } from "../kubernetes/client.ts";
import { clearEvent, type Recorded, recordEvent } from "../kubernetes/record-event.ts";
import { send, sendAll } from "../kubernetes/write.ts";
import type { Log } from "../log.ts";
import { type Outcome, outcomeOf } from "../outcome.ts";
import { labelFor, nextProgress, progressKey, readProgress } from "../progress.ts";
import { progressNameOf, type Rule } from "../rule.ts";
import { type StepEvent, warning } from "../steps.ts";
import type { Connect } from "../system/connect.ts";
import { SystemError } from "../system/system-error.ts";
import { hasSlipped } from "./slipped.ts";
import { type MetadataChange, withProgress } from "./with-progress.ts";

/** What acting on a decision takes. */
export interface ActContext {
  readonly client: Client;
  readonly connect: Connect;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is still to be done when every decision of a run has been carried out. Never rejects. */
export type Afterwards = () => Promise<void>;

/**
 * Carries out one decision: at most one guarded step. Returns `"conflict"` when the object is not what was looked at
 * any more, which calls for another look; every other failure becomes an outcome. Events that are no longer true are
 * left for `afterwards` where nothing depends on it: among a thousand claims, the last is not to wait for the Events of
 * the others.
 */
export async function act<Schema extends ZodObject, Facts>(
  rule: Rule<Schema, Facts>,
  decision: Decision,
  context: ActContext,
  afterwards: Afterwards[],
): Promise<Outcome | "conflict"> {
  try {
    const result = await perform(rule, decision, context, afterwards);
    return { result, status: 204, because: decision.because };
  } catch (error) {
    if (isConflict(error) || isAlreadyExists(error) || error instanceof Contended) return "conflict";
    return outcomeOf(error);
  }
}

type AnyRule = Pick<Rule, "name" | "progressName" | "steps" | "systems">;

/** What it came to: `leave` where there was nothing to write. */
async function perform(
  rule: AnyRule,
  decision: Decision,
  context: ActContext,
  afterwards: Afterwards[],
): Promise<Decision["do"]> {
  const { client } = context;
  const { about, kind } = decision;
  const outdated = outdatedEvents(rule, decision);
  const clearLater = () => {
    if (outdated.length > 0) afterwards.push(() => clear(rule, decision, outdated, context));
  };
  switch (decision.do) {
    case "record":
      await record(rule, decision, decision.event, context);
      return "record";
    case "leave":
      for (const write of withProgress([], kind, about, forgotten(rule, decision))) await send(client, write);
      clearLater();
      return "leave";
    case "write": {
      const { step } = decision;
      const isKept = step === "kept";
      const change = isKept ? undefined : step ? progress(rule, decision, step, context) : forgotten(rule, decision);
      const present = step && !isKept && !change ? whenApplied(rule, decision) : undefined;
      const writes = withProgress(decision.writes, kind, about, change ?? present);
      await ensure(decision.provided, context);
      if (writes.length === 0 && !decision.event) return "leave";
      await sendAll(client, about, writes);
      await ensure(decision.provided, context);
      // The write is done; an Event about it must not undo it.
      if (change && step && !isKept) await record(rule, decision, eventOf(rule, step), context);
      await record(rule, decision, decision.event, context);
      clearLater();
      return "write";
    }
    case "call": {
      const { command, step, writes = [] } = decision;
      if (!Object.values(rule.systems ?? {}).includes(command.system))
        throw new Error(`${rule.name} does not declare the system ${command.system.name}.`);
      const change = progress(rule, decision, step, context);
      // A command that is repeated changes nothing here: a patch of nothing holds the object to what was looked at.
      // First, because the other writes trigger rules that would write in between, and the command would wait for the
      // sweep; and a process that dies after them is taken up at the time that the note says.
      const intent = withProgress(writes, kind, about, change ?? { annotations: {} }, "at the beginning");
      await sendAll(client, about, intent, "a command");
      // The annotation stands: were the command to fail first, no later look would know of these Events.
      if (change) await record(rule, decision, eventOf(rule, step), context);
      await clear(rule, decision, outdated, context);
      await command
        .send(context.connect(command.system), command.input)
        .catch((error) => recordRefusal(error, rule, decision, context));
      return "call";
    }
    case "wait":
    case "stop":
      await standStill(rule, decision, outdated, context);
      return decision.do;
  }
}

/** @throws Contended when one of them does not hold. */
async function ensure(provided: readonly Proviso[] = [], { client }: ActContext): Promise<void> {
  for (const { kind, namespace, name, holds } of provided) {
    if (holds(await client.get(kind, namespace, name))) continue;
    const object = [kind.kind, namespace ? `${namespace}/${name}` : name].join(" ");
    throw new Contended(`${object} has changed in the meantime; the event will be delivered again.`);
  }
}

/**
 * What a system refuses for good is recorded on the object that the command was for, in the system's own words: a
 * person must act. It stays until it expires, for what the system says of the next command is another matter.
 */
async function recordRefusal(error: unknown, rule: AnyRule, decision: Call, context: ActContext): Promise<never> {
  const isFinal = error instanceof SystemError && ["refused", "unauthorized"].includes(error.failure);
  if (isFinal) await record(rule, { ...decision, because: error.message }, warning(`${error.system}Refused`), context);
  throw error;
}

/**
 * Recorded first, and the annotation last: after a crash in between the same is recorded again, which is one Event all
 * the same.
 */
async function standStill(
  rule: AnyRule,
  decision: Wait | Stop,
  outdated: readonly string[],
  context: ActContext,
): Promise<void> {
  const { about, kind, step } = decision;
  const change = step && progress(rule, decision, step, context);
  const event = step ? eventOf(rule, step) : decision.do === "stop" ? decision.event : undefined;
  const recorded = change || !step ? await record(rule, decision, event, context) : undefined;
  await clear(rule, decision, outdated, context);
  if (!change) return;
  for (const write of withProgress([], kind, about, change))
    await send(context.client, write).catch((error) => withdraw(error, rule, decision, event, recorded, context));
  // Another run had recorded it, and clears it where its own annotation was not written.
  if (recorded === "present") await record(rule, decision, event, context);
}

/** The Event of a declared step. */
function eventOf({ name, steps = {} }: AnyRule, step: Step): StepEvent | undefined {
  if (!Object.hasOwn(steps, step.name)) throw new Error(`${name} declares no step ${step.name}.`);
  return steps[step.name];
}

/**
 * Reasons of Events that are no longer true: of the step that the object was seen in, or, when the rule has done with
 * the object, of all its steps, because a run that was cut short may have recorded more than the annotation knows.
 */
function outdatedEvents(rule: AnyRule, decision: Decision): readonly string[] {
  const { steps = {} } = rule;
  const before = readProgress(decision.about, progressNameOf(rule));
  if (decision.do === "record") return [];
  const step = "step" in decision ? decision.step : undefined;
  const stands = decision.do === "wait" || decision.do === "stop";
  const over = (decision.do === "write" && decision.over) || [];
  if (step === "kept" || (stands && !step)) return over;
  if (!before) return over;
  const past = step ? [steps[before.step]] : Object.values(steps);
  const present = step && steps[step.name]?.reason;
  const reasons = past.flatMap((event) => (event && event.reason !== present ? [event.reason] : []));
  return [...new Set([...reasons, ...over])];
}

/** The change that brings the object's annotation and label to the decision's step, if one is needed. */
function progress(
  rule: AnyRule,
  { about, because, ...rest }: WriteStep | Call | Wait | Stop,
  step: Step,
  { clock }: ActContext,
): MetadataChange | undefined {
  eventOf(rule, step);
  const next = "next" in rest ? rest.next : undefined;
  const name = progressNameOf(rule);
  const now = clock.now();
  const saying = (due: number | undefined) => nextProgress(about, name, step, because, now, due);
  const before = readProgress(about, name);
  const isWritten = hasSlipped(before, next, now) && saying(Date.parse(before.next ?? "")) === undefined;
  const text = isWritten ? undefined : saying(next);
  const labels = labelFor(about, name, next);
  if (text === undefined && labels === undefined) return undefined;
  return { annotations: text === undefined ? {} : { [progressKey(name)]: text }, ...(labels ? { labels } : {}) };
}

/** What a server-side apply has to say again, because what it leaves out is removed where nobody else holds it. */
function whenApplied(rule: AnyRule, { about, writes }: WriteStep): MetadataChange | undefined {
  const key = progressKey(progressNameOf(rule));
  const text = about.metadata.annotations?.[key];
  const isApplied = writes.some((write) => write.verb === "patch" && write.type === "apply");
  return isApplied && text !== undefined ? { annotations: { [key]: text } } : undefined;
}

/** The change that removes what an earlier decision wrote down, if there is anything. */
function forgotten(rule: AnyRule, { about }: Decision): MetadataChange | undefined {
  const name = progressNameOf(rule);
  const key = progressKey(name);
  if (about.metadata.annotations?.[key] === undefined) return undefined;
  const labels = labelFor(about, name, undefined);
  return { annotations: { [key]: null }, ...(labels ? { labels } : {}) };
}

/** Events are for people: when the API server takes none (a namespace that is being deleted), the work goes on. */
async function record(
  { name }: AnyRule,
  { about, because }: Decision,
  event: StepEvent | undefined,
  { client, clock, log }: ActContext,
): Promise<Recorded | undefined> {
  if (!event) return undefined;
  return recordEvent(client, about, name, { ...event, note: because }, clock.now()).catch((error: Error) => {
    log.warn({ rule: name, uid: about.metadata.uid }, `The Event ${event.reason} was not recorded: ${error.message}`);
    return undefined;
  });
}

/**
 * After a conflict the next look may decide otherwise, and only Events that the annotation knows of are cleared: one
 * that there was not goes with the annotation that was not written. Unless the conflict was with another run of the
 * rule that has written the same: the Event is one, and that annotation knows of it.
 */
async function withdraw(
  error: unknown,
  rule: AnyRule,
  decision: Wait | Stop,
  event: StepEvent | undefined,
  recorded: Recorded | undefined,
  context: ActContext,
): Promise<never> {
  if (event && recorded === "created" && isConflict(error) && !(await isWritten(rule, decision, context)))
    await clear(rule, decision, [event.reason], context);
  throw error;
}

/**
 * Whether the object says by now what was to be written. A patch of nothing reads for a rule that may write but not
 * get.
 */
async function isWritten(rule: AnyRule, { about, kind, step }: Wait | Stop, { client }: ActContext) {
  const { namespace, name, uid } = about.metadata;
  const live = await client
    .patch(kind, namespace, name, "merge", { metadata: { uid } }, { metadataOnly: true })
    .catch(() => undefined);
  return live !== undefined && step !== undefined && readProgress(live, progressNameOf(rule))?.step === step.name;
}

async function clear(
  { name }: AnyRule,
  { about }: Decision,
  reasons: readonly string[],
  { client, log }: ActContext,
): Promise<void> {
  for (const reason of reasons)
    await clearEvent(client, about, name, reason).catch((error: Error) =>
      log.warn({ rule: name }, `The Event ${reason} was not cleared: ${error.message}`),
    );
}
