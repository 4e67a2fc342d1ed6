import type { output, ZodObject } from "zod";
import type { Decision } from "./decision.ts";
import type { FunctionDeclaration } from "./declaration.ts";
import type { Change, Hint } from "./event/hint.ts";
import type { Client } from "./kubernetes/client.ts";
import type { Kind } from "./kubernetes/kind.ts";

/** Changes of one kind that wake a rule: each becomes a Trigger. */
export interface Wake {
  readonly kind: Kind;
  readonly changes: readonly Change[];
  /** Not woken by default: only where the admin installs the overlay of this name. */
  readonly overlay?: string;
}

/** What the sweep looks for on behalf of a rule whose events were lost. */
export interface Sweep {
  readonly kind: Kind;
  /** Being deleted with the finalizer, or alive without it, by its default name. Absent: due times and turns only. */
  readonly when?: { readonly deletingWith: string } | { readonly aliveWithout: string };
}

/** What a rule judges in one run; requests for the same kind, namespace and name share runs. */
export interface Subject {
  readonly kind: Kind;
  readonly namespace?: string;
  /** Absent where the rule judges all objects of the kind in the namespace together. */
  readonly name?: string;
  /** Objects that the event pointed at, by name; requests that share a run add theirs. A hint, never a limit. */
  readonly members?: readonly string[];
  /** The sweep has given it its turn, and asks for more than a change does; requests that share a run share it, too. */
  readonly turn?: boolean;
}

/** What `look` may use. */
export interface View<Settings> {
  readonly client: Client;
  readonly settings: Settings;
}

/**
 * The whole of a rule. Triggers, roles, the sweep's table, the Service's environment and the rule's reference
 * documentation are derived from it.
 */
export interface Rule<Schema extends ZodObject = ZodObject, Facts = unknown> extends FunctionDeclaration<Schema> {
  readonly wakes: readonly Wake[];
  readonly sweep: readonly Sweep[];
  /** The subjects an event points at. Pure; no I/O: most events end here. An absent `hint.object` must not end them. */
  subjects(hint: Hint, settings: output<Schema>): readonly Subject[];
  /** Live reads, all of them begun after the events that asked for them had arrived. Throws what the client throws. */
  look(subject: Subject, view: View<output<Schema>>): Promise<Facts>;
  /** Pure: no I/O, no clock, no randomness. `now` is in milliseconds since the epoch. */
  decide(facts: Facts, now: number, settings: output<Schema>): readonly Decision[];
  /** Commands to external systems, by the names that `call` decisions use. Each must bear being repeated or be read first. */
  readonly commands?: Readonly<Record<string, (input: unknown, view: View<output<Schema>>) => Promise<void>>>;
}

/** Declares a rule; exists for the types it infers. */
export function rule<Schema extends ZodObject, Facts>(declaration: Rule<Schema, Facts>): Rule<Schema, Facts> {
  return declaration;
}

/** The changes of a kind that wake a rule; `overlay` names the overlay that an admin must install for it. */
export function on(kind: Kind, changes: readonly Change[], overlay?: string): Wake {
  return { kind, changes, ...(overlay ? { overlay } : {}) };
}

/** `pvc-protection/release` as one word, for names of objects: `pvc-protection-release`. */
export function slug(ruleName: string): string {
  return ruleName.replaceAll("/", "-");
}
