import type { output, ZodObject } from "zod";
import type { Decision } from "./decision.ts";
import type { FunctionDeclaration } from "./declaration.ts";
import type { Change, Hint } from "./event/hint.ts";
import type { Client } from "./kubernetes/client.ts";
import type { Kind } from "./kubernetes/kind.ts";
import type { Observed } from "./kubernetes/lazy-client.ts";
import type { Steps } from "./steps.ts";
import type { Subject } from "./subject.ts";
import type { Sweep } from "./sweep.ts";
import type { ClientsOf, Systems } from "./system/system.ts";
import type { LeftBehind, OwnFinalizer } from "./uninstall/declaration.ts";

/** Changes of one kind, or a signal that names one of its objects, that trigger a rule: each becomes a Trigger. */
export interface RuleTrigger {
  readonly kind: Kind;
  /** Empty for a signal. */
  readonly changes: readonly Change[];
  /**
   * The CloudEvent type of a signal: something that is no change of a Kubernetes object has happened, and names one.
   */
  readonly signal?: string;
  /** Not by default: only where the admin installs the overlay of this name. */
  readonly overlay?: string;
}

/**
 * What `look` may use: the API server, the rule's settings, and a client for each of its systems under the system's
 * name.
 */
export type View<Settings, Used extends Systems = Systems> = {
  readonly client: Client;
  readonly settings: Settings;
} & ClientsOf<Used>;

/**
 * The whole of a rule. Triggers, roles, the sweep's table, the Service's environment and the rule's reference
 * documentation are derived from it.
 */
export interface Rule<Schema extends ZodObject = ZodObject, Facts = unknown, Used extends Systems = Systems>
  extends FunctionDeclaration<Schema> {
  readonly triggers: readonly RuleTrigger[];
  readonly sweep: readonly Sweep[];
  /** The steps in which the rule may leave an object, by name, each with its Event. */
  readonly steps?: Steps;
  /**
   * The rule acts upon what it has written down, instead of deriving all from what it reads: it stops at progress of a
   * version too new to be read. Progress of other rules blocks nothing.
   */
  readonly progress?: "load-bearing";
  /**
   * `<system>/<word>`: where rules go on with what others of their system have begun, the one name by which all of them
   * write it down.
   */
  readonly progressName?: string;
  /** The external systems that it looks at or commands. */
  readonly systems?: Used;
  /** The finalizers that it removes, by their default names: an uninstall has to see to the objects that carry one. */
  readonly finalizers?: readonly OwnFinalizer[];
  /** What it writes that has an effect without it, too: an uninstall says where that is. */
  readonly leavesBehind?: readonly LeftBehind[];
  /**
   * The client that it looks and writes with, made of that of its own cluster where some of its objects lie on another
   * one. `observed` is what calls of the other one pass through, where telemetry is on; `own` does so already.
   */
  client?(own: Client, settings: output<Schema>, observed?: Observed): Client | Promise<Client>;
  /** The subjects an event points at. Pure; no I/O: most events end here. An absent `hint.object` must not end them. */
  subjects(hint: Hint, settings: output<Schema>): readonly Subject[];
  /**
   * Live reads, all of them begun after the events that asked for them had arrived. Throws what the clients throw, and
   * PartlyLooked where some of several objects could be looked at.
   */
  look(subject: Subject, view: View<output<Schema>, Used>): Promise<Facts>;
  /** Pure: no I/O, no clock, no randomness. `now` is in milliseconds since the epoch. */
  decide(facts: Facts, now: number, settings: output<Schema>): readonly Decision[];
}

/** Declares a rule; exists for the types it infers. */
export function rule<Schema extends ZodObject, Facts, Used extends Systems = Record<never, never>>(
  declaration: Rule<Schema, Facts, Used>,
): Rule<Schema, Facts, Used> {
  return declaration;
}

/** The changes of a kind that trigger a rule; `overlay` names the overlay that an admin must install for it. */
export function on(kind: Kind, changes: readonly Change[], overlay?: string): RuleTrigger {
  return { kind, changes, ...(overlay ? { overlay } : {}) };
}

/** A signal that triggers a rule: CloudEvents of this type (`dev.holdfast.…`) that name an object of the kind. */
export function onSignal(kind: Kind, signal: string): RuleTrigger {
  return { kind, changes: [], signal };
}

/** The name by which a rule writes its progress down: its own, where it has none in common with others. */
export function progressNameOf({ name, progressName = name }: Pick<Rule, "name" | "progressName">): string {
  return progressName;
}

/** The name under which a rule writes down which external system is away; its progress keeps its own annotation. */
export function awayNameOf({ name }: Pick<Rule, "name">): string {
  return `${name}/away`;
}

/** The CloudEvent type of the events by which the sweep has one rule alone look. */
export function pollSignal(ruleName: string): string {
  return `dev.holdfast.poll.${slug(ruleName)}`;
}

/** `pvc-protection/release` as one word, for names of objects: `pvc-protection-release`. */
export function slug(ruleName: string): string {
  return ruleName.replaceAll("/", "-");
}
