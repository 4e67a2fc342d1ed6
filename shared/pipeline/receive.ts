import type { output, ZodObject } from "zod";
import { readHint } from "../event/read-hint.ts";
import type { HttpRequest, HttpResponse } from "../http-message.ts";
import { type Outcome, outcomeOf, replyTo } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import { isObject, keyOf, type Subject } from "../subject.ts";
import type { Systems } from "../system/system.ts";
import { coalesce } from "./coalesce.ts";
import { type RunResult, runOf } from "./run.ts";
import type { Tools } from "./tools.ts";

/**
 * So many objects of one event are looked at. Only a forged event names more: no Pod, for example, mounts so many
 * claims. What is left out is resynced, should it be real.
 */
const mostSubjects = 1000;

/**
 * The way of an event through a rule: hint, subjects, and for each subject a run that may be shared. Never rejects; the
 * reply follows the contract with Knative that {@link replyTo} spells out.
 */
export function receive<Schema extends ZodObject, Facts, Used extends Systems>(
  rule: Rule<Schema, Facts, Used>,
  tools: Tools<output<Schema>>,
): (request: HttpRequest) => Promise<HttpResponse> {
  const { log, settings } = tools;
  const join = coalesce(runOf(rule, tools));

  /** The subjects of an event. The event itself, and the object in it, are kept no longer than this takes. */
  function read(request: HttpRequest) {
    const hint = readHint(request);
    const subjects = rule.subjects(hint, settings);
    if (subjects.length > mostSubjects)
      log.warn(
        { rule: rule.name, events: [hint.id] },
        `The event names ${subjects.length} objects. Only ${mostSubjects} of them are looked at now, the others with ` +
          "the next resync.",
      );
    return { event: hint.id, subjects: subjects.slice(0, mostSubjects) };
  }

  async function run({ event, subjects }: ReturnType<typeof read>): Promise<HttpResponse> {
    if (subjects.length === 0) return replyTo([]);
    const results = await Promise.all(
      subjects.map(async (subject) => outcomesFor(subject, await join(keyOf(subject), { subject, event }))),
    );
    return replyTo(results.flat());
  }

  function refuse(error: unknown): HttpResponse {
    const outcome = outcomeOf(error);
    log.error({ rule: rule.name, status: outcome.status }, outcome.message);
    return replyTo([outcome]);
  }

  // Not async: what waits would hold the request, with its body.
  return (request) => {
    try {
      return run(read(request)).catch(refuse);
    } catch (error) {
      return Promise.resolve(refuse(error));
    }
  };
}

/**
 * A request that named its objects is not retried because another object of the shared run failed that has a request of
 * its own. For what no request named, the first one of the run answers.
 */
function outcomesFor(subject: Subject, { outcomes, failed, unnamed }: RunResult): readonly Outcome[] {
  if (failed) return [failed];
  if (isObject(subject) || !subject.members) return [...outcomes.values()].flat();
  const named = subject.members.flatMap((name) => outcomes.get(name) ?? []);
  return unnamed?.by === subject ? [...named, ...unnamed.outcomes] : named;
}
