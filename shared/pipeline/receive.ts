import type { output, ZodObject } from "zod";
import type { Clock } from "../clock.ts";
import { readHint } from "../event/read-hint.ts";
import type { HttpRequest, HttpResponse } from "../http-message.ts";
import type { Client } from "../kubernetes/client.ts";
import type { Log } from "../log.ts";
import { type Outcome, outcomeOf, replyTo } from "../outcome.ts";
import type { Rule, Subject } from "../rule.ts";
import { type RunResult, run } from "./run.ts";
import { shareRuns } from "./share-runs.ts";

/** What a function stands on. In a process: the real ones; in a simulation: a world's. */
export interface Tools<Settings> {
  /** Asked for only when an event needs a look: irrelevant events never pay for the client. */
  readonly client: () => Client | Promise<Client>;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Settings;
}

/**
 * The way of an event through a rule: hint, subjects, and for each subject a run that may be shared. Never rejects; the
 * reply follows the contract with Knative that {@link replyTo} spells out.
 */
export function receive<Schema extends ZodObject, Facts>(
  rule: Rule<Schema, Facts>,
  tools: Tools<output<Schema>>,
): (request: HttpRequest) => Promise<HttpResponse> {
  const { clock, log, settings } = tools;
  const join = shareRuns<{ subject: Subject; event: string }, RunResult>(async (_, requests) => {
    const subject = merged(requests.map(({ subject }) => subject));
    if (!subject) return { outcomes: new Map() };
    const client = await tools.client();
    const events = requests.map(({ event }) => event);
    return run(rule, subject, events, { client, settings }, { client, clock, log });
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
      log.error({ rule: rule.name, status: outcome.status }, outcome.because);
      return replyTo([outcome]);
    }
  };
}

/** One who did not name objects wants them all. */
function merged(subjects: readonly Subject[]): Subject | undefined {
  const [first] = subjects;
  if (!first) return undefined;
  const { members: _, ...all } = { ...first, turn: subjects.some(({ turn }) => turn) };
  if (subjects.some(({ members }) => !members)) return all;
  return { ...all, members: [...new Set(subjects.flatMap(({ members }) => members ?? []))] };
}

const keyOf = ({ kind, namespace, name }: Subject) => JSON.stringify([kind.plural, namespace, name]);

/** A request that named its objects is not retried because another object of the shared run failed. */
function outcomesFor({ members }: Subject, { outcomes, failed }: RunResult): readonly Outcome[] {
  if (failed) return [failed];
  if (!members) return [...outcomes.values()];
  return members.flatMap((name) => outcomes.get(name) ?? []);
}
