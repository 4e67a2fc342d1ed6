import { progressNameOf } from "../../../shared/rule.ts";
import type { Declared } from "../declared.ts";

/** A step of a rule with the Event that goes with it, as an object has it written down. */
export interface WrittenStep {
  /** What the metric's `holdfast_rule` is: rules that go on with each other's work write under one name. */
  readonly rule: string;
  readonly step: string;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
}

/** The steps of functions that have an Event, each once. */
export function writtenSteps(functions: readonly Declared[]): readonly WrittenStep[] {
  const steps = functions.flatMap((declared) =>
    Object.entries(declared.steps ?? {}).flatMap(([step, event]): WrittenStep[] =>
      event ? [{ rule: progressNameOf(declared), step, ...event }] : [],
    ),
  );
  return [...new Map(steps.map((step) => [`${step.rule} ${step.step}`, step])).values()];
}

/** The Events of steps in which undelete keeps a volume whose claim is gone. */
const keptReasons = ["VolumeKept", "NamespaceReplaced", "VolumeOffered"];

/** The steps in which undelete keeps a volume whose claim is gone, until a time. */
export const keptSteps = (functions: readonly Declared[]): readonly WrittenStep[] =>
  writtenSteps(functions).filter(({ reason }) => keptReasons.includes(reason));

/** How the reasons of Events end that say that an external system is away. */
export const awayReasons = ["Unreachable", "Unauthorized", "Refused"];

/** Whether a reason says that an external system is away. */
export const saysAway = (reason: string) => awayReasons.some((end) => reason.endsWith(end));
