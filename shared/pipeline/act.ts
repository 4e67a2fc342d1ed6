import type { output, ZodObject } from "zod";
import type { Clock } from "../clock.ts";
import type { Decision, Step, Stop, Wait } from "../decision.ts";
import { annotate } from "../kubernetes/annotate.ts";
import { isAlreadyExists, isConflict } from "../kubernetes/api-error.ts";
import type { Client } from "../kubernetes/client.ts";
import { retract, type Told, tell } from "../kubernetes/notice.ts";
import { send } from "../kubernetes/write.ts";
import type { Log } from "../log.ts";
import { type Outcome, outcomeOf } from "../outcome.ts";
import { labelFor, nextProgress, progressKey, readProgress } from "../progress.ts";
import type { Rule, View } from "../rule.ts";

/** What acting on a decision takes. */
export interface Hands {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is still to be done when every decision of a run has been carried out. Never rejects. */
export type Afterwards = () => Promise<void>;

/**
 * Carries out one decision: at most one guarded step. Answers `"conflict"` when the object is not what was looked at any
 * more, which calls for another look; every other failure becomes an outcome. What people were told and is no longer true is
 * left for `afterwards` where nothing depends on it: among a thousand claims, the last is not to wait for the Events of the others.
 */
export async function act<Schema extends ZodObject, Facts>(
  rule: Rule<Schema, Facts>,
  decision: Decision,
  view: View<output<Schema>>,
  hands: Hands,
  afterwards: Afterwards[],
): Promise<Outcome | "conflict"> {
  try {
    await perform(rule, decision, view, hands, afterwards);
    return { result: decision.do, status: 204, because: decision.because };
  } catch (error) {
    if (isConflict(error) || isAlreadyExists(error)) return "conflict";
    return outcomeOf(error);
  }
}

async function perform<Schema extends ZodObject, Facts>(
  rule: Rule<Schema, Facts>,
  decision: Decision,
  view: View<output<Schema>>,
  hands: Hands,
  afterwards: Afterwards[],
): Promise<void> {
  const { client } = hands;
  switch (decision.do) {
    case "leave":
    case "tell": {
      await notify(rule.name, decision, hands);
      const forgotten = decision.do === "leave" && forget(rule.name, decision);
      if (forgotten) await send(client, forgotten);
      break;
    }
    case "write":
      for (const write of decision.writes) await send(client, write);
      // The write is done; what people are told about it must not undo it.
      await notify(rule.name, decision, hands);
      break;
    case "wait":
    case "stop": {
      // Told first, and the annotation last: after a crash in between the same is told again, which is one Event all the same.
      const changed = decision.step && record(rule.name, decision, decision.step, hands);
      const told = changed || !decision.step ? await notify(rule.name, decision, hands) : undefined;
      await retractAll(rule.name, decision, hands);
      if (!changed) return;
      await send(client, changed).catch((error) => unsay(error, rule.name, decision, hands, told));
      // Another run had told it, and takes it back where its own annotation was not written.
      if (told === "present") await notify(rule.name, decision, hands);
      return;
    }
    case "call": {
      const command = rule.commands?.[decision.command.name];
      if (!command) throw new Error(`${rule.name} declares no command ${decision.command.name}.`);
      const intent = record(rule.name, decision, decision.intent, hands);
      if (intent) await send(client, intent);
      await command(decision.command.input, view);
      await notify(rule.name, decision, hands);
    }
  }
  if (decision.retract?.length) afterwards.push(() => retractAll(rule.name, decision, hands));
}

/** The write that brings the object's annotation and label to the decision's step, if one is needed. */
function record(ruleName: string, decision: Decision, step: Step, { clock }: Hands) {
  const { about, kind, because } = decision;
  const next = decision.do === "wait" ? decision.next : undefined;
  const text = nextProgress(about, ruleName, step, because, clock.now(), next);
  const labels = labelFor(about, ruleName, next);
  if (text === undefined && labels === undefined) return undefined;
  return annotate(kind, about, text === undefined ? {} : { [progressKey(ruleName)]: text }, labels);
}

/** The write that takes away what an earlier decision wrote down, if there is anything. */
function forget(ruleName: string, { about, kind }: Decision) {
  const key = progressKey(ruleName);
  if (about.metadata.annotations?.[key] === undefined) return undefined;
  return annotate(kind, about, { [key]: null }, labelFor(about, ruleName, undefined));
}

/** Events are for people: when the API server takes none (a namespace that is going), the work goes on. */
async function notify(
  ruleName: string,
  { about, notice }: Decision,
  { client, clock, log }: Hands,
): Promise<Told | undefined> {
  if (!notice) return undefined;
  return tell(client, about, ruleName, notice, clock.now()).catch((error: Error) => {
    log.warn(
      { rule: ruleName, uid: about.metadata.uid },
      `The Event ${notice.reason} was not written: ${error.message}`,
    );
    return undefined;
  });
}

/**
 * After a conflict the next look may decide otherwise, and rules take back only what the annotation knows of: an Event that there
 * was not goes with the annotation that was not written. Unless the conflict was with another run of the rule that has
 * written the same: the Event is one, and that annotation knows of it.
 */
async function unsay(
  error: unknown,
  ruleName: string,
  decision: Wait | Stop,
  hands: Hands,
  told: Told | undefined,
): Promise<never> {
  const { notice } = decision;
  if (notice && told === "created" && isConflict(error) && !(await isRecorded(ruleName, decision, hands)))
    await retractAll(ruleName, { ...decision, retract: [notice.reason] }, hands);
  throw error;
}

/** Whether the object says by now what was to be written. A patch of nothing reads for a rule that may write but not get. */
async function isRecorded(ruleName: string, { about, kind, step }: Wait | Stop, { client }: Hands): Promise<boolean> {
  const { namespace, name, uid } = about.metadata;
  const live = await client
    .patch(kind, namespace, name, "merge", { metadata: { uid } }, { metadataOnly: true })
    .catch(() => undefined);
  return live !== undefined && step !== undefined && readProgress(live, ruleName)?.step === step.name;
}

async function retractAll(ruleName: string, decision: Decision, { client, log }: Hands): Promise<void> {
  for (const each of decision.retract ?? []) {
    const { rule, reason } = typeof each === "string" ? { rule: ruleName, reason: each } : each;
    await retract(client, decision.about, rule, reason).catch((error: Error) =>
      log.warn({ rule: ruleName }, `The Event ${reason} was not taken back: ${error.message}`),
    );
  }
}
