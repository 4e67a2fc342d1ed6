import type { Clock } from "../../shared/clock.ts";
import type { Decision } from "../../shared/decision.ts";
import type { Hint } from "../../shared/event/hint.ts";
import { ApiError, isNotFound } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { readOnly } from "../../shared/kubernetes/read-only.ts";
import { PartlyLooked } from "../../shared/look-at-each.ts";
import { permissionsAsSet } from "../../shared/pipeline/permissions-as-set.ts";
import { stopOnNewerProgress } from "../../shared/pipeline/stop-on-newer-progress.ts";
import type { Rule } from "../../shared/rule.ts";
import { readSettings, SettingsError } from "../../shared/settings.ts";
import { isObject, keyOf, type ObjectSubject, type Subject } from "../../shared/subject.ts";
import { type Connect, clientsOf } from "../../shared/system/connect.ts";
import { SystemError } from "../../shared/system/system-error.ts";

/** A rule as it is installed. */
export interface AskedRule {
  readonly rule: Rule;
  /** Its function's environment; empty: its defaults. */
  readonly environment: Readonly<Record<string, string>>;
  /** Which settings could not be read, as a sentence: their defaults are assumed. */
  readonly unread?: string | undefined;
}

/** What a rule is asked with. Its decision is not written. */
export interface Asking {
  readonly client: Client;
  readonly clock: Clock;
  /** Gives out the clients of a rule's external systems. @throws SettingsError */
  readonly connect: (asked: AskedRule) => Connect;
}

type Settings = ReturnType<typeof readSettings<Rule["settings"]>>;

/** Read once for each rule of an installation, however many objects it is asked about. */
const readSoFar = new WeakMap<AskedRule, Settings>();

/** @throws SettingsError */
function settingsOf(asked: AskedRule): Settings {
  const known = readSoFar.get(asked) ?? readSettings(asked.rule.settings, asked.environment);
  readSoFar.set(asked, known);
  return known;
}

/** What a rule has decided about an object and what belongs to it, or why that could not be found out. */
export type Judgement =
  /**
   * `rule`: as its settings have it, for a plan of what it has decided. `others`: the objects that it looks at for an
   * event about this one.
   */
  | { readonly decisions: readonly Decision[]; readonly rule: Rule; readonly others: readonly ObjectSubject[] }
  /** `system`: an external system does not answer from here, or does not let the user in. */
  | { readonly unknown: string; readonly because: "system" | "right" | "failure" };

/**
 * Has a rule look at an object, live, and decide, as an event about the object would. Decisions about others are left
 * out, but for those about objects of other kinds that the rule comes to by looking at this object alone: of its own
 * kind, it may have looked at a whole namespace.
 */
export async function judge(
  asked: AskedRule,
  kind: Kind,
  object: KubernetesObject,
  asking: Asking,
): Promise<Judgement> {
  const { rule } = asked;
  try {
    const settings = settingsOf(asked);
    const reading = readOnly(asking.client);
    const client = rule.client ? readOnly(await rule.client(reading, settings)) : reading;
    const view = { client, settings, ...clientsOf(rule, asking.connect(asked)) };
    const decisions: Decision[] = [];
    const others: ObjectSubject[] = [];
    for (const { subject, isMeant } of subjectsFor(rule, kind, object, settings)) {
      if (isObject(subject) && !names(subject, object)) others.push(subject);
      const facts = await rule.look(subject, view);
      const own = rule.decide(facts, asking.clock.now(), settings);
      const heeds = rule.progress === "load-bearing";
      const decided = heeds ? own.map((decision) => stopOnNewerProgress(rule, decision)) : own;
      const isNew = ({ about }: Decision) => !decisions.some((one) => one.about.metadata.uid === about.metadata.uid);
      decisions.push(...decided.filter(isMeant).filter(isNew));
    }
    return { decisions, rule: { ...rule, permissions: permissionsAsSet(rule.permissions, settings) }, others };
  } catch (error) {
    return unknownBy(error instanceof PartlyLooked ? error.cause : error, rule);
  }
}

/**
 * What the rule would look at for an event with the object and one without. Most events with their object end in
 * `subjects`, where the rule has written down when it looks again; one without may mean a whole namespace, of which
 * only this object counts.
 */
function subjectsFor(rule: Rule, kind: Kind, object: KubernetesObject, settings: Parameters<Rule["subjects"]>[1]) {
  const { namespace, name, uid } = object.metadata;
  const hint: Hint = {
    id: "holdfast",
    change: "update",
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    name,
    ...(namespace ? { namespace } : {}),
    object,
  };
  const isIt = ({ about }: Decision) => about.metadata.uid === uid;
  const isMeantBy = (subject: Subject) => (decision: Decision) =>
    isIt(decision) || (names(subject, object) && decision.kind.kind !== kind.kind);
  const shown = rule.subjects(hint, settings);
  const bare = rule.subjects({ ...hint, change: "sweep", object: undefined }, settings);
  const known = new Set(shown.map(keyOf));
  return [
    ...shown.map((subject) => ({
      subject,
      isMeant: (decision: Decision) => isMeantBy(subject)(decision) || names(subject, decision.about),
    })),
    ...bare
      .filter((subject) => !known.has(keyOf(subject)))
      .map((subject) => ({ subject, isMeant: isMeantBy(subject) })),
  ];
}

const names = (subject: Subject, one: KubernetesObject) =>
  isObject(subject) && subject.kind.kind === one.kind && subject.name === one.metadata.name;

function unknownBy(error: unknown, rule: Rule): Judgement {
  if (error instanceof SystemError) return { because: "system", unknown: error.message };
  if (error instanceof SettingsError) return { because: "failure", unknown: error.message };
  // A kind that is not served: there is nothing of it to be said.
  if (isNotFound(error)) return { decisions: [], rule, others: [] };
  if (error instanceof ApiError) return { because: error.status === 403 ? "right" : "failure", unknown: error.message };
  throw error;
}
