import type { Clock } from "../../shared/clock.ts";
import { UserError } from "../../shared/command/user-error.ts";
import type { Decision } from "../../shared/decision.ts";
import { readHint } from "../../shared/event/read-hint.ts";
import type { HttpRequest } from "../../shared/http-message.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { describe, referenceTo } from "../../shared/kubernetes/object.ts";
import { partly } from "../../shared/look-at-each.ts";
import { receive } from "../../shared/pipeline/receive.ts";
import { type Rule, slug } from "../../shared/rule.ts";
import { connectSystems } from "../../shared/serve/connect-systems.ts";
import { readSettings, SettingsError } from "../../shared/settings.ts";
import { clientsOf } from "../../shared/system/connect.ts";
import { defaultsAssumed } from "../rules/ask-rules.ts";
import { findFunctions } from "../rules/installed-functions.ts";
import type { AskedRule } from "../rules/judge.ts";
import { unreadSettings } from "../rules/unread-settings.ts";
import type { SavedEvent } from "./find-dead-letter.ts";

export interface ReplayTools {
  readonly client: Client;
  readonly clock: Clock;
  /** Carry the decisions out; without it nothing is written. */
  readonly act: boolean;
  /** Go on with default settings where the function is not installed. */
  readonly defaults: boolean;
  readonly namespace: string;
}

/**
 * Gives a dead-lettered event to a rule again, under the settings of the function as it is installed, and yields what
 * is to be printed.
 *
 * @throws UserError when the settings are not known or the function does not take them, and when it did not carry its
 * decisions out; MalformedEvent when what was saved holds no event.
 */
export async function* replay(rule: Rule, saved: SavedEvent, tools: ReplayTools): AsyncGenerator<string> {
  const { client, clock, act } = tools;
  const { environment, unread } = await installedAs(rule, tools);
  if (unread && act) throw new UserError(`${unread} Nothing was written.`);
  if (unread) yield `${unread} ${defaultsAssumed}`;
  const settings = settingsFrom(environment, rule);
  const connect = connectSystems(rule.systems ?? {}, { ...environment, ...process.env }, clock);
  const request = requestOf(saved);
  const hint = readHint(request);
  const subjects = rule.subjects(hint, settings);
  if (subjects.length === 0) return yield `${rule.name}: the event does not concern this rule.`;

  if (!act) {
    const own = rule.client ? await rule.client(client, settings) : client;
    for (const subject of subjects) {
      const view = { client: own, settings, ...clientsOf(rule, connect) };
      const { facts, failures } = await partly(() => rule.look(subject, view));
      const decisions = rule.decide(facts, clock.now(), settings);
      if (decisions.length === 0) yield `${rule.name}: there is nothing to decide now.`;
      for (const decision of decisions) yield line(decision);
      for (const { error } of failures) throw error;
    }
    return yield "Nothing was written. Add --act to carry this out.";
  }
  const lines: string[] = [];
  const say = (fields: object, sentence: string) => {
    const { object, decision } = fields as { object?: string; decision?: string };
    lines.push(`${[decision ?? "failed", object].filter(Boolean).join(" ")}: ${sentence}`);
  };
  const log = { debug: say, info: say, warn: say, error: say };
  const reply = await receive(rule, { client: () => client, connect, clock, log, settings })(request);
  yield* lines;
  if (reply.status !== 204) throw new UserError(`The function would answer ${reply.status}: ${reply.body}`);
  yield "Done.";
}

function settingsFrom(environment: AskedRule["environment"], rule: Rule): ReturnType<typeof readSettings> {
  try {
    return readSettings(rule.settings, environment);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new UserError(`The function ${slug(rule.name)} has settings that it does not take: ${error.message}`, {
      cause: error,
    });
  }
}

/** The rule as it is installed; without variables where it is not installed, and its defaults are wanted. */
async function installedAs(rule: Rule, tools: ReplayTools): Promise<AskedRule> {
  const { name } = rule;
  const { client, namespace, defaults } = tools;
  const functions = await findFunctions(client, namespace);
  if (!functions)
    throw new UserError(
      `The settings of ${slug(name)} could not be read: ask for the right to list Services and Deployments, and to ` +
        `get ConfigMaps, in namespace ${namespace}.`,
    );
  const found = functions.get(slug(name));
  if (found) return { rule, environment: found.environment, unread: unreadSettings(rule, found) };
  if (defaults) return { rule, environment: {} };
  throw new UserError(
    `The function ${slug(name)} is not installed in namespace ${namespace}, so its settings are not known. Is it in ` +
      "another namespace? Give -n NAMESPACE. To go on with its default settings, give --defaults.",
  );
}

function requestOf({ attributes, object }: SavedEvent): HttpRequest {
  const headers = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce-${name}`, value]));
  return { headers: { ...headers, "content-type": "application/json" }, body: object ? JSON.stringify(object) : "" };
}

function line(decision: Decision): string {
  const { about, message } = decision;
  const writes =
    decision.do === "write" ? decision.writes.map(({ verb, kind }) => `${verb} ${kind.plural}`).join(", ") : "";
  return `${decision.do} ${describe(referenceTo(about))}: ${message}${writes && ` (would ${writes})`}`;
}
