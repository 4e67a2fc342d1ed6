import type { Clock } from "../../shared/clock.ts";
import { UserError } from "../../shared/command/user-error.ts";
import type { Decision } from "../../shared/decision.ts";
import { readHint } from "../../shared/event/read-hint.ts";
import type { HttpRequest } from "../../shared/http-message.ts";
import { isNotFound } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { describe, referenceTo } from "../../shared/kubernetes/object.ts";
import { receive } from "../../shared/pipeline/receive.ts";
import { type Rule, slug } from "../../shared/rule.ts";
import { connectSystems } from "../../shared/serve/connect-systems.ts";
import { readSettings, SettingsError } from "../../shared/settings.ts";
import { clientsOf } from "../../shared/system/connect.ts";
import type { SavedEvent } from "./find-dead-letter.ts";

export interface ReplayTools {
  readonly client: Client;
  readonly clock: Clock;
  /** Carry the decisions out; without it nothing is written. */
  readonly act: boolean;
  readonly namespace: string;
}

const Service = {
  apiVersion: "serving.knative.dev/v1",
  kind: "Service",
  plural: "services",
  namespaced: true,
} as const;

/**
 * Gives a dead-lettered event to a rule again, under the settings of the function as it is installed, and yields what
 * is to be printed.
 *
 * @throws UserError when the function does not take its settings, MalformedEvent when what was saved holds no event.
 */
export async function* replay(rule: Rule, saved: SavedEvent, tools: ReplayTools): AsyncGenerator<string> {
  const { client, clock, act } = tools;
  const environment = await environmentOf(rule, tools);
  const settings = settingsFrom(environment, rule);
  const connect = connectSystems(rule.systems ?? {}, { ...environment, ...process.env }, clock);
  const request = requestOf(saved);
  const hint = readHint(request);
  const subjects = rule.subjects(hint, settings);
  if (subjects.length === 0) return yield `${rule.name}: the event is none of its business.`;

  if (!act) {
    for (const subject of subjects) {
      const facts = await rule.look(subject, { client, settings, ...clientsOf(rule, connect) });
      const decisions = rule.decide(facts, clock.now(), settings);
      if (decisions.length === 0) yield `${rule.name}: there is nothing to decide now.`;
      for (const decision of decisions) yield line(decision);
    }
    return yield "Nothing was written. Add --act to carry this out.";
  }
  const lines: string[] = [];
  const say = (fields: object, sentence: string) => {
    const { object, decision } = fields as { object?: string; decision?: string };
    lines.push([decision ?? "failed", object, sentence].filter(Boolean).join("  "));
  };
  const log = { debug: say, info: say, warn: say, error: say };
  const reply = await receive(rule, { client: () => client, connect, clock, log, settings })(request);
  yield* lines;
  yield reply.status === 204 ? "Done." : `The function would answer ${reply.status}: ${reply.body}`;
}

function settingsFrom(environment: Record<string, string | undefined>, rule: Rule): ReturnType<typeof readSettings> {
  try {
    return readSettings(rule.settings, environment);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new UserError(`The Service ${slug(rule.name)} has settings that it does not take: ${error.message}`, {
      cause: error,
    });
  }
}

/** What the installed function is told, where it is installed as a Knative Service; its defaults elsewhere. */
async function environmentOf(
  rule: Rule,
  { client, namespace }: ReplayTools,
): Promise<Record<string, string | undefined>> {
  const service = await client
    .get<KubernetesObject & { spec?: Template }>(Service, namespace, slug(rule.name))
    .catch((error: unknown) => {
      // A cluster without Knative does not serve the kind.
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const variables = service?.spec?.template?.spec?.containers?.[0]?.env ?? [];
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
}

interface Template {
  template?: { spec?: { containers?: { env?: { name: string; value?: string }[] }[] } };
}

function requestOf({ attributes, object }: SavedEvent): HttpRequest {
  const headers = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce-${name}`, value]));
  return { headers: { ...headers, "content-type": "application/json" }, body: object ? JSON.stringify(object) : "" };
}

function line(decision: Decision): string {
  const { about, message } = decision;
  const writes =
    decision.do === "write" ? decision.writes.map(({ verb, kind }) => `${verb} ${kind.plural}`).join(", ") : "";
  return [decision.do, describe(referenceTo(about)), message, writes && `(would ${writes})`].filter(Boolean).join("  ");
}
