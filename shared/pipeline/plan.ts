import type { Call, Decision, Precondition, Step, Stop, Wait, WriteStep } from "../decision.ts";
import { isStatus, type Write } from "../kubernetes/write.ts";
import { labelFor, nextProgress, progressKey, readProgress } from "../progress.ts";
import { awayNameOf, progressNameOf, type Rule } from "../rule.ts";
import type { StepEvent } from "../steps.ts";
import type { Command } from "../system/command.ts";
import { type Recovery, recoveryOf } from "./away.ts";
import { hasSlipped } from "./debounce-due-time.ts";
import { holdToDeclared } from "./hold-to-declared.ts";
import { type MetadataChange, withProgress } from "./with-progress.ts";

/** One thing to do about a decision; a plan's operations are carried out in their order. */
export type Operation =
  /** Ends the plan with a conflict where one of the preconditions does not hold; `unsent` is written then. */
  | ({ readonly do: "check"; readonly preconditions: readonly Precondition[] } & Pick<Call, "unsent">)
  /**
   * Guarded writes. `follows`: what is to be done next stands on them. `unsent`: written where one of them is refused
   * for good. `announced`: the step's Event has been recorded already, and is cleared again when a conflict keeps the
   * step from being written.
   */
  | {
      readonly do: "write";
      readonly writes: readonly Write[];
      readonly follows?: "a command";
      readonly unsent?: Call["unsent"];
      readonly announced?: { readonly step: Step; readonly event: StepEvent };
    }
  /** `again`: only where the Event was there before this plan, because another run may have cleared it since. */
  | { readonly do: "record"; readonly event: StepEvent; readonly again?: true }
  /** `later`: after all decisions of the run, because nothing depends on it. */
  | { readonly do: "clear"; readonly reasons: readonly string[]; readonly later?: true }
  /** Reads what the command reads before it is sent, and ends the plan where that fails. */
  | { readonly do: "ask"; readonly command: Command }
  /**
   * `answered`: written as soon as the system has answered, also with an error. `refused`: where it refuses. `unsent`:
   * where the command finds that it must not be sent, or cannot find that out.
   */
  | ({ readonly do: "send"; readonly command: Command } & Pick<Call, "answered" | "refused" | "unsent">);

/** What is to be done about one decision, and what it comes to: `leave` where nothing is to be written. */
export interface Plan {
  readonly result: Decision["do"];
  readonly operations: readonly Operation[];
}

/** What a plan depends on of a rule. */
export type PlannedRule = Pick<Rule, "name" | "progressName" | "steps" | "systems"> &
  Partial<Pick<Rule, "permissions">>;

/**
 * Turns a decision into operations. Pure; `now` is in milliseconds since the epoch.
 *
 * @throws Error where the decision names a step or a system, or writes something, that the rule does not declare.
 */
export function plan(rule: PlannedRule, decision: Decision, now: number): Plan {
  const planned = planFor(rule, decision, now);
  for (const operation of planned.operations) {
    if (operation.do === "write")
      for (const write of [...operation.writes, operation.unsent].flat())
        if (write) holdToDeclared(rule, write, decision.about);
    if (operation.do === "send")
      for (const write of [operation.answered, operation.refused, operation.unsent].flat())
        if (write) holdToDeclared(rule, write, decision.about);
  }
  return planned;
}

function planFor(rule: PlannedRule, decision: Decision, now: number): Plan {
  // A call has yet to show that the system is there again.
  const recovery = ["call", "record"].includes(decision.do) ? undefined : recoveryOf(rule, decision.about, now);
  const outdated = [...outdatedEvents(rule, decision), ...(recovery?.reasons ?? [])];
  switch (decision.do) {
    case "record":
      return { result: "record", operations: [{ do: "record", event: decision.event }] };
    case "leave": {
      const writes = withProgress([], decision.kind, decision.about, cleared(rule, decision, recovery));
      return { result: "leave", operations: [...write(writes), ...clear(outdated, "later")] };
    }
    case "write":
      return planWrite(rule, decision, outdated, recovery, now);
    case "call":
      return planCall(rule, decision, outdated, now);
    case "wait":
    case "stop":
      return planWait(rule, decision, outdated, recovery, now);
  }
}

function planWrite(
  rule: PlannedRule,
  decision: WriteStep,
  outdated: readonly string[],
  recovery: Recovery | undefined,
  now: number,
): Plan {
  const { step, kind, about, event, preconditions = [] } = decision;
  const progress = step && progressed(rule, decision, step, now, recovery);
  const isUnchanged = decision.progress === "unchanged";
  const change = step || isUnchanged ? recovered(progress, recovery) : cleared(rule, decision, recovery);
  const writes = withProgress(decision.writes, kind, about, change ?? (step && reapplied(rule, decision)));
  const check = checking(preconditions);
  if (writes.length === 0 && !event) return { result: "leave", operations: check };
  // The Events follow the write: it is done, and an Event about it must not undo it.
  const entered = progress && step ? record(eventOf(rule, step)) : [];
  const checkAgain = writes.length > 0 ? check : [];
  const operations = [
    ...check,
    ...write(writes),
    ...checkAgain,
    ...entered,
    ...record(event),
    ...clear(outdated, "later"),
  ];
  return { result: "write", operations };
}

function planCall(rule: PlannedRule, decision: Call, outdated: readonly string[], now: number): Plan {
  const { command, answered, refused, unsent, step, kind, about, writes = [], preconditions = [] } = decision;
  if (!Object.values(rule.systems ?? {}).includes(command.system))
    throw new Error(`${rule.name} does not declare the system ${command.system.name}.`);
  const change = progressed(rule, decision, step, now);
  const isAway = about.metadata.annotations?.[progressKey(awayNameOf(rule))] !== undefined;
  // Conditions come before what notes the call: where a conflict with them ends the sequence, no note is left of a call
  // that was never made.
  const ordered = writes.toSorted((one, other) => Number(isStatus(other)) - Number(isStatus(one)));
  // A command that is repeated changes nothing here: a patch of nothing holds the object to what was looked at. Where
  // no write takes the step along, its patch comes first, because the other writes trigger rules that would write in
  // between, and because a process that dies after the patch is taken up at the time that the note says.
  const intent = withProgress(ordered, kind, about, change ?? { annotations: {} }, "at the beginning");
  return {
    result: "call",
    operations: [
      // The last command has failed, perhaps already at this: a note that is made and taken back each time would bring
      // the next try at once, because each write comes back as an event.
      ...(command.before && isAway ? [{ do: "ask", command } as const] : []),
      // Twice: the note of a call that was never sent counts as a call in flight, and the note takes time to write.
      ...checking(preconditions),
      { do: "write", writes: intent, follows: "a command", ...(unsent ? { unsent } : {}) },
      // Before the command: were that to fail, no later look would know of these Events.
      ...(change ? record(eventOf(rule, step)) : []),
      ...clear(outdated),
      ...checking(preconditions, unsent),
      {
        do: "send",
        command,
        ...(answered ? { answered } : {}),
        ...(refused ? { refused } : {}),
        ...(unsent ? { unsent } : {}),
      },
    ],
  };
}

/**
 * The Event comes first and the annotation last: after a crash in between the same is recorded again, which is one
 * Event all the same.
 */
function planWait(
  rule: PlannedRule,
  decision: Wait | Stop,
  outdated: readonly string[],
  recovery: Recovery | undefined,
  now: number,
): Plan {
  const { kind, about, step } = decision;
  const change = step && progressed(rule, decision, step, now, recovery);
  const event = step ? eventOf(rule, step) : decision.do === "stop" ? decision.event : undefined;
  const announced = step && event ? { announced: { step, event } } : {};
  const note = withProgress([], kind, about, recovered(change, recovery));
  const operations: readonly Operation[] = [
    ...(change || !step ? record(event) : []),
    ...write(note).map((operation) => ({ ...operation, ...announced })),
    // After the patch: where that meets a conflict, the step before still stands.
    ...clear(outdated),
    ...(change && event ? [{ do: "record", event, again: true } as const] : []),
  ];
  return { result: decision.do, operations };
}

const write = (writes: readonly Write[]) => (writes.length > 0 ? [{ do: "write", writes } as const] : []);

const checking = (preconditions: readonly Precondition[], unsent?: Call["unsent"]) =>
  preconditions.length > 0 ? [{ do: "check", preconditions, ...(unsent ? { unsent } : {}) } as const] : [];

const record = (event: StepEvent | undefined) => (event ? [{ do: "record", event } as const] : []);

const clear = (reasons: readonly string[], later?: "later") =>
  reasons.length > 0 ? [{ do: "clear", reasons, ...(later ? { later: true as const } : {}) } as const] : [];

/** The Event of a declared step. */
function eventOf({ name, steps = {} }: PlannedRule, step: Step): StepEvent | undefined {
  if (!Object.hasOwn(steps, step.name)) throw new Error(`${name} declares no step ${step.name}.`);
  return steps[step.name];
}

/**
 * Reasons of Events that are no longer true: of the step that the object was seen in, or, when the rule has done with
 * the object, of all its steps, because a run that was cut short may have recorded more than the annotation knows.
 */
function outdatedEvents(rule: PlannedRule, decision: Decision): readonly string[] {
  const { steps = {} } = rule;
  const before = readProgress(decision.about, progressNameOf(rule));
  if (decision.do === "record") return [];
  const step = "step" in decision ? decision.step : undefined;
  const stands = decision.do === "wait" || decision.do === "stop";
  const clears = (decision.do === "write" && decision.clears) || [];
  const isUnchanged = decision.do === "write" && decision.progress === "unchanged";
  if (isUnchanged || (stands && !step) || !before) return clears;
  const past = step ? [steps[before.step]] : Object.values(steps);
  const present = step && steps[step.name]?.reason;
  const reasons = past.flatMap((event) => (event && event.reason !== present ? [event.reason] : []));
  return [...new Set([...reasons, ...clears])];
}

/** The change that brings the object's annotation and label to the decision's step, if one is needed. */
function progressed(
  rule: PlannedRule,
  { about, message, ...rest }: WriteStep | Call | Wait | Stop,
  step: Step,
  now: number,
  recovery?: Recovery,
): MetadataChange | undefined {
  eventOf(rule, step);
  const next = "next" in rest ? rest.next : undefined;
  const name = progressNameOf(rule);
  const textWith = (due: number | undefined) => nextProgress(about, name, step, message, now, due);
  const before = readProgress(about, name);
  const isPause = !("isDeadline" in rest);
  const isWritten = isPause && hasSlipped(before, next, now) && textWith(Date.parse(before.next ?? "")) === undefined;
  const text = isWritten ? undefined : textWith(next);
  const labels = labelFor(recovery?.object ?? about, name, next);
  if (text === undefined && labels === undefined) return undefined;
  return { annotations: text === undefined ? {} : { [progressKey(name)]: text }, ...(labels ? { labels } : {}) };
}

/** What a server-side apply has to say again, because what it leaves out is removed where no other manager holds it. */
function reapplied(rule: PlannedRule, { about, writes }: WriteStep): MetadataChange | undefined {
  const key = progressKey(progressNameOf(rule));
  const text = about.metadata.annotations?.[key];
  const isApplied = writes.some((write) => write.verb === "patch" && write.type === "apply");
  return isApplied && text !== undefined ? { annotations: { [key]: text } } : undefined;
}

/** The change that removes what an earlier decision wrote down, if there is anything. */
function cleared(rule: PlannedRule, { about }: Decision, recovery?: Recovery): MetadataChange | undefined {
  const name = progressNameOf(rule);
  const key = progressKey(name);
  if (about.metadata.annotations?.[key] === undefined) return recovered(undefined, recovery);
  const labels = labelFor(recovery?.object ?? about, name, undefined);
  return recovered({ annotations: { [key]: null }, ...(labels ? { labels } : {}) }, recovery);
}

/** The change with the removal of what was written down about an outage that has ended. */
function recovered(change: MetadataChange | undefined, recovery: Recovery | undefined): MetadataChange | undefined {
  if (!recovery) return change;
  const labels = change ? change.labels : recovery.labels;
  return { annotations: { ...change?.annotations, ...recovery.annotations }, ...(labels ? { labels } : {}) };
}
