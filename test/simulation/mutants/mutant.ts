import type { ZodObject } from "zod";
import type { Decision } from "../../../shared/decision.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { partly, wholeOr } from "../../../shared/look-at-each.ts";
import { receive } from "../../../shared/pipeline/receive.ts";
import type { Rule } from "../../../shared/rule.ts";
import { readSettings } from "../../../shared/settings.ts";
import type { Systems } from "../../../shared/system/system.ts";
import type { Handler, Start } from "../../harness/functions.ts";

/** A function with one deliberate fault, to prove that the simulation would find it. */
export interface Mutant {
  readonly name: string;
  /** A sentence: the fault, as its author might defend it. */
  readonly doc: string;
  /** The scenarios in which it is looked for. */
  readonly scenarios: readonly string[];
  /**
   * Where it is looked for: in runs with faults (the default), in fault-free ones, because the sweep makes up for it
   * where something goes wrong, at every point of a fault-free one, in those with an outage, or in those in which
   * nothing goes wrong but that every call to an external system which can meet this fault of its own meets it.
   */
  readonly by?: "runs with faults" | "fault-free runs" | "points" | "outages" | { readonly everyCall: string };
  /** In how many runs it must be found. */
  readonly within: number;
  /** One with an outage that is looked for in scenarios alone: the differential suite leaves it out. */
  readonly inScenariosOnly?: true;
  /** The function in whose place it runs. */
  readonly rule: string;
  readonly start: (start: Start) => Handler;
}

/**
 * The look of a rule that takes what it sees for something else. Where some of several objects could not be looked at,
 * it does so of the others: with the rule's own facts it would have no fault in that run.
 */
export function seeing<Schema extends ZodObject, Facts, Used extends Systems, Seen = Facts>(
  rule: Pick<Rule<Schema, Facts, Used>, "look">,
  change: (facts: Facts, ...look: Parameters<Rule<Schema, Facts, Used>["look"]>) => Seen | Promise<Seen>,
): (...look: Parameters<Rule<Schema, Facts, Used>["look"]>) => Promise<Seen> {
  return async (subject, view) => {
    const { facts, failures } = await partly(() => rule.look(subject, view));
    return wholeOr(await change(facts, subject, view), failures);
  };
}

/** Starts a rule with the repository's own pipeline, which holds it to nothing that it declares to write. */
export function starting<Schema extends ZodObject, Facts, Used extends Systems>(
  rule: Rule<Schema, Facts, Used>,
): (start: Start) => Handler {
  const permissions = rule.permissions.map(({ writes: _, finalizerSetting: __, ...permission }) => permission);
  return ({ environment, ...tools }) =>
    receive({ ...rule, permissions }, { ...tools, settings: readSettings(rule.settings, environment) });
}

/** The part of a mutant that says what runs: a rule with a fault in its place. */
export const faulty = <Schema extends ZodObject, Facts, Used extends Systems>(
  rule: Rule<Schema, Facts, Used>,
  fault: Partial<Rule<Schema, Facts, Used>>,
): Pick<Mutant, "rule" | "start"> => ({ rule: rule.name, start: starting({ ...rule, ...fault }) });

/** Decides as a rule does, and makes something else of each decision. */
export const changed =
  <Schema extends ZodObject, Facts, Used extends Systems>(
    rule: Pick<Rule<Schema, Facts, Used>, "decide">,
    change: (decision: Decision, ...given: Parameters<Rule<Schema, Facts, Used>["decide"]>) => Decision,
  ): Rule<Schema, Facts, Used>["decide"] =>
  (...given) =>
    rule.decide(...given).map((decision) => change(decision, ...given));

/** A decision with its writes changed. */
export const withWrites =
  (change: (writes: readonly Write[], about: KubernetesObject) => readonly Write[]) =>
  (decision: Decision): Decision =>
    "writes" in decision && decision.writes
      ? { ...decision, writes: change(decision.writes, decision.about) }
      : decision;
