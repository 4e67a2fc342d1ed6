import type { output, ZodObject } from "zod";
import type { Clock } from "../clock.ts";
import { readHint } from "../event/read-hint.ts";
import type { HttpRequest, HttpResponse } from "../http-message.ts";
import type { Client } from "../kubernetes/client.ts";
import type { Log } from "../log.ts";
import { type Outcome, outcomeOf, replyTo } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import { isObject, keyOf, merged, type Subject } from "../subject.ts";
import type { Connect } from "../system/connect.ts";
import type { ClientsOf, Systems } from "../system/system.ts";
import { coalesce } from "./coalesce.ts";
import { permissionsAsSet } from "./permissions-as-set.ts";
import { type RunResult, run } from "./run.ts";

/** What a function stands on. In a process: the real ones; in a simulation: a world's. */
export interface Tools<Settings> {
  /** Asked for only when an event needs a look: irrelevant events never pay for the client. */
  readonly client: () => Client | Promise<Client>;
  /** Asked for none but the systems that the rule declares; absent where it declares none. */
  readonly connect?: Connect;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Settings;
  /** Whether only events of senders that have proven who they are come this far; absent: anyone may have sent one. */
  readonly verifiesSenders?: boolean;
}

/**
 * The way of an event through a rule: hint, subjects, and for each subject a run that may be shared. Never rejects; the
 * reply follows the contract with Knative that {@link replyTo} spells out.
 */
export function receive<Schema extends ZodObject, Facts, Used extends Systems>(
  rule: Rule<Schema, Facts, Used>,
  tools: Tools<output<Schema>>,
): (request: HttpRequest) => Promise<HttpResponse> {
  const { clock, log, settings } = tools;
  const held = { ...rule, permissions: permissionsAsSet(rule.permissions, settings) };
  /** Made once, for its connections. */
  let made: { readonly own: Client; readonly client: Promise<Client> } | undefined;
  const clientOf = async (own: Client): Promise<Client> => {
    if (!rule.client) return own;
    if (made?.own !== own) made = { own, client: Promise.resolve(rule.client(own, settings)) };
    return made.client.catch((error) => {
      // What could not be read may be there at the next event.
      made = undefined;
      throw error;
    });
  };
  const join = coalesce<{ subject: Subject; event: string }, RunResult>(async (_, requests) => {
    const subject = merged(requests.map(({ subject }) => subject));
    if (!subject) return { outcomes: new Map() };
    const client = await clientOf(await tools.client());
    const events = requests.map(({ event }) => event);
    const { connect = connectNone } = tools;
    const view = { client, settings, ...clientsOf(rule, connect) };
    return run(held, subject, events, view, { client, connect, clock, log });
  });

  return async (request) => {
    try {
      const hint = readHint(request);
      const subjects = rule.subjects(hint, settings);
      if (subjects.length === 0) return replyTo([]);
      const results = await Promise.all(
        subjects.map(async (subject) => outcomesFor(subject, await join(keyOf(subject), { subject, event: hint.id }))),
      );
      return replyTo(results.flat());
    } catch (error) {
      const outcome = outcomeOf(error);
      log.error({ rule: rule.name, status: outcome.status }, outcome.message);
      return replyTo([outcome]);
    }
  };
}

const connectNone: Connect = ({ name }) => {
  throw new Error(`There is no connection to ${name}.`);
};

/** A client for each system of the rule, under the system's name. */
export function clientsOf<Used extends Systems>(
  { systems }: { readonly systems?: Used },
  connect: Connect,
): ClientsOf<Used> {
  const clients = Object.entries(systems ?? {}).map(([name, system]) => [name, connect(system)]);
  return Object.fromEntries(clients) as ClientsOf<Used>;
}

/** A request that named its objects is not retried because another object of the shared run failed. */
function outcomesFor(subject: Subject, { outcomes, failed }: RunResult): readonly Outcome[] {
  if (failed) return [failed];
  if (isObject(subject) || !subject.members) return [...outcomes.values()];
  return subject.members.flatMap((name) => outcomes.get(name) ?? []);
}
