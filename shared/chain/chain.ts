import type { output, ZodObject } from "zod";
import type { WantedCondition } from "../kubernetes/condition.ts";
import type { Kind } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { Rule, View } from "../rule.ts";
import type { Subject } from "../subject.ts";
import type { Systems } from "../system/system.ts";
import type { Facts, InChain, Known, Looked } from "./facts.ts";

/** One step: when it is done, and what it waits for until then. `now` is in milliseconds since the epoch. */
export interface ChainStep<K extends Known, Name extends string> {
  readonly name: Name;
  /** The folder of the rule that takes it; absent where it has the step's name. One rule may take several steps. */
  readonly rule?: string;
  /** What the step is for, as a person would say it. */
  readonly doc: string;
  /** By what was read; derived again each time, never from what is written down. */
  done(facts: K, now: number): boolean;
  /** A sentence for people; `doc` where absent. Only asked while the step is not done. */
  waiting?(facts: K, now: number): string;
  /** A person must act. */
  stuck?(facts: K, now: number): boolean;
  /** How, where `waiting` does not say so: sentences that are only said when it has been stuck for some time. */
  advice?(facts: K, now: number): string | undefined;
}

/** Where an object stands in its chain. */
export interface ChainPosition<Name extends string = string> {
  readonly step: Name | "done";
  /** What it waits for, or that it is done, in a sentence. */
  readonly message: string;
  /** Nothing happens before a person acts. */
  readonly stuck: boolean;
  /** How that person gets it further. */
  readonly advice?: string | undefined;
  /** Nothing happens before this external system can be asked again. */
  readonly away?: string;
}

/**
 * A chain of rules about objects of some kinds, each of which takes one step, or several. The page that declares it
 * says all that the steps depend on; how its rules stand together is the kit's:
 *
 * - the step is the first that is not done, and a rule acts only when it is its own;
 * - each object is looked at by itself, and what cannot be asked about one object stops that one only;
 * - what is halted is said by the rule of the first step, with a time to look again that the sweep finds; so is what is
 *   unknown, by a rule that could not ask.
 */
export interface Chain<
  Schema extends ZodObject,
  Used extends Systems,
  O extends InChain,
  K extends Known,
  Name extends string,
> {
  /** The folder of the system. */
  readonly system: string;
  /** The kinds of its objects. */
  readonly kinds: readonly Kind[];
  /** What happens to an object, as a noun: `evacuation`. */
  readonly noun: string;
  /** The reason of the Warning on an object that only a person gets further; absent where the chain knows none. */
  readonly stuckReason?: string;
  /** Milliseconds for which an object must be kept before a person is called for; 0 when absent. */
  readonly patience?: number;
  /** In their order. */
  readonly steps: readonly ChainStep<K, Name>[];
  /** What all rules of the chain declare alike. */
  readonly rule: Pick<
    Rule<Schema, never, Used>,
    "settings" | "common" | "mounts" | "client" | "systems" | "triggers" | "sweep"
  >;
  /** Whether an event about the object is worth a look. A hint only. */
  concerns(object: KubernetesObject): boolean;
  /** The objects that a subject means, live. Asks no external system. Throws what the client throws. */
  find(subject: Subject, view: View<output<Schema>, Used>): Promise<readonly O[]>;
  /** What the steps of one object depend on. A SystemError makes the facts of this object unknown, and of no other. */
  look(one: O, view: View<output<Schema>, Used>): Promise<Facts<K>>;
  /**
   * The conditions by which an object shows where it stands; absent where each rule writes the status itself. `now` is
   * in milliseconds since the epoch.
   */
  conditions?(standing: ChainPosition<Name>, one: Looked<O, K>, now: number): readonly WantedCondition[];
  /** Milliseconds after which to look again for what no event says. */
  again(settings: output<Schema>): number;
}

/** Declares a chain; exists for the types it infers. */
export function chain<
  Schema extends ZodObject,
  Used extends Systems,
  O extends InChain,
  K extends Known,
  Name extends string,
>(declaration: Chain<Schema, Used, O, K, Name>): Chain<Schema, Used, O, K, Name> {
  return declaration;
}

/** The folder of the rule that takes a step. */
export const takerOf = ({ name, rule = name }: Pick<ChainStep<never, string>, "name" | "rule">): string => rule;

/** The first step that is not done. */
export function stepOf<K extends Known, Name extends string>(
  steps: readonly ChainStep<K, Name>[],
  facts: K,
  now: number,
): ChainPosition<Name> {
  const step = steps.find((candidate) => !candidate.done(facts, now));
  if (!step) return { step: "done", message: "All steps are done.", stuck: false };
  const isStuck = step.stuck?.(facts, now) ?? false;
  const advice = isStuck ? step.advice?.(facts, now) : undefined;
  const message = step.waiting?.(facts, now) ?? step.doc;
  return { step: step.name, message, stuck: isStuck, ...(advice ? { advice } : {}) };
}
