import type { output, ZodObject } from "zod";
import { Contended } from "../contended.ts";
import type { Decision } from "../decision.ts";
import { isConflict, isExpired } from "../kubernetes/api-error.ts";
import { describe, referenceTo } from "../kubernetes/object.ts";
import { type Outcome, outcomeOf } from "../outcome.ts";
import type { Rule, View } from "../rule.ts";
import { nameOf, type Subject } from "../subject.ts";
import type { Systems } from "../system/system.ts";
import { type ActContext, type Afterwards, act } from "./act.ts";
import { heedNewer } from "./heed-newer.ts";

/** What a run came to: by object name, so that a request is answered for the objects it asked about. */
export interface RunResult {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Set when the run ended before it could decide. */
  readonly failed?: Outcome;
}

const looks = 3;
const actsAtOnce = 16;

/**
 * Looks, decides and acts. A conflict, or a list whose continue token expired, means that the facts have changed: look
 * and decide anew, at most three times in all, then leave it to the broker (503).
 */
export async function run<Schema extends ZodObject, Facts, Used extends Systems>(
  rule: Rule<Schema, Facts, Used>,
  subject: Subject,
  events: readonly string[],
  view: View<output<Schema>, Used>,
  context: ActContext,
): Promise<RunResult> {
  const outcomes = new Map<string, Outcome>();
  for (let look = 1; ; look++) {
    let contended = false;
    let failure: Outcome | undefined;
    try {
      const facts = await rule.look(subject, view);
      const decided = rule.decide(facts, context.clock.now(), view.settings);
      const heeds = rule.progress === "load-bearing";
      const decisions = heeds ? decided.map((decision) => heedNewer(rule, decision)) : decided;
      const afterwards: Afterwards[] = [];
      const carryOut = async (decision: Decision) => {
        const outcome = await act(rule as never, decision, context, afterwards);
        if (outcome === "conflict" && look < looks) {
          contended = true;
          return;
        }
        const final = outcome === "conflict" ? tooOften(decision) : outcome;
        if (final.result === "failed") failure = final;
        outcomes.set(decision.about.metadata.name, final);
        report(rule.name, decision, final, events, context);
      };
      const orders = [...new Set(decisions.map(orderOf))].toSorted((one, other) => one - other);
      for (const order of orders) {
        const next = decisions.filter((decision) => orderOf(decision) === order);
        if (failure) for (const { about } of next) outcomes.set(about.metadata.name, failure);
        else if (!contended) await inParallel(next, carryOut);
      }
      await inParallel(afterwards, (finish) => finish());
      if (!contended) return { outcomes };
    } catch (error) {
      if ((isExpired(error) || isConflict(error) || error instanceof Contended) && look < looks) continue;
      const failed = outcomeOf(error);
      context.log.error(
        { rule: rule.name, subject: nameOf(subject), events: some(events), status: failed.status },
        failed.because,
      );
      return { outcomes, failed };
    }
  }
}

const orderOf = (decision: Decision) => (decision.do === "write" ? (decision.order ?? 0) : 0);

function report(
  ruleName: string,
  decision: Decision,
  outcome: Outcome,
  events: readonly string[],
  { log }: ActContext,
): void {
  const { about, because } = decision;
  const fields = {
    rule: ruleName,
    events: some(events),
    object: describe(referenceTo(about)),
    uid: about.metadata.uid,
    decision: decision.do,
    ...(outcome.result === "failed" ? { status: outcome.status, intended: because } : {}),
  };
  if (outcome.result === "failed") log.error(fields, outcome.because);
  else if (outcome.result === "leave") log.debug(fields, because);
  else if (decision.do === "stop") log.warn(fields, because);
  else log.info(fields, because);
}

/** Ids of the events that share the run: enough to follow one, not a thousand on every line. */
const some = (events: readonly string[]) =>
  events.length <= 5 ? events : [...events.slice(0, 5), `and ${events.length - 5} more`];

const tooOften = ({ about }: Decision): Outcome => ({
  result: "failed",
  status: 503,
  because:
    `${describe(referenceTo(about))} changed under every one of ${looks} attempts; ` +
    "the event will be delivered again.",
});

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(actsAtOnce, items.length) }, lane));
}
