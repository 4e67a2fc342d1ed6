import { minute } from "../duration.ts";
import { annotate } from "../kubernetes/annotate.ts";
import { isConflict } from "../kubernetes/api-error.ts";
import type { Kind } from "../kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../kubernetes/object.ts";
import { recordEvent } from "../kubernetes/record-event.ts";
import { send } from "../kubernetes/write.ts";
import { type Outcome, outcomeOf } from "../outcome.ts";
import { labelFor, nextProgress, type Progress, progressKey, readProgress } from "../progress.ts";
import { awayNameOf, type Rule } from "../rule.ts";
import type { SystemError, SystemFailure } from "../system/system-error.ts";
import type { ExecuteContext } from "./execute-context.ts";

/** The first look after the one that failed, in milliseconds; later ones come with every tick of the sweep. */
const secondLook = 30_000;
/**
 * The longest pause between two calls that find no connection, in milliseconds: less than the sweep's five minutes, so
 * that each tick finds the object due.
 */
const longestPause = 240_000;
/** For so long a failure is left to the broker, whose retries are faster than the sweep. Milliseconds. */
const brokerRetries = 10_000;

const reasons = {
  unreachable: "Unreachable",
  overloaded: "Unreachable",
  unauthorized: "Unauthorized",
  refused: "Refused",
} as const satisfies Record<SystemFailure, string>;

/**
 * Writes down, on the object that could not be looked at or worked on, which external system is away and since when,
 * and then records the Warning `<System>Unreachable`, `Unauthorized` or `Refused`. The due time is written once and
 * stays: the sweep sends an object whose due time has passed with every tick, so the outage ends within one tick of the
 * system's return, and an outage costs one write however long it lasts. Only where a call was `unsent`, for it found no
 * connection, a pause begins with each try, which is doubled up to `longestPause`: what the call had noted is taken
 * back, which comes back as an event and would bring the next try at once.
 *
 * Returns the answer to the broker: to try again while the failure is fresh, and afterwards that all is done, because
 * the object itself says what is wrong and the sweep comes back to it. Never rejects.
 */
export async function reportAway(
  rule: Pick<Rule, "name">,
  kind: Kind,
  object: KubernetesObject,
  error: SystemError,
  { client, clock, log }: ExecuteContext,
  isUnsent = false,
): Promise<Outcome> {
  const now = clock.now();
  const name = awayNameOf(rule);
  const before = readProgress(object, name);
  const reason = `${error.system.replaceAll(" ", "")}${reasons[error.failure]}`;
  const isSame = before?.step === reason;
  const since = isSame ? before.since : new Date(now).toISOString();
  const last = isSame ? pauseIn(before) : undefined;
  const pause = isUnsent ? Math.min(2 * (last ?? secondLook / 2), longestPause) : last;
  const message =
    `${describe(referenceTo(object))} waits for ${error.system} since ${since}: ${error.message} ` +
    "Holdfast looks again with every tick of the sweep and then goes on by itself.";
  const isKept = isSame && before.next && !isUnsent;
  const next = isKept ? Date.parse(before.next ?? "") : now + (pause ?? secondLook);
  const step = { name: reason, ...(pause === undefined ? {} : { details: { unsent: true, pause } }) };
  const text = nextProgress(object, name, step, message, now, next);
  const missed = (what: string) => (failure: unknown) =>
    log.warn({ rule: rule.name, uid: object.metadata.uid }, `${what}: ${String(failure)}`);
  const record = (once?: true) =>
    recordEvent(
      client,
      object,
      rule.name,
      { type: "Warning", reason, note: message, ...(once && { once }) },
      now,
    ).catch(missed("The Event of the outage was not recorded"));
  if (text !== undefined) {
    // The annotation first: by it the sweep comes back, and it must not depend on what takes Events.
    try {
      await send(client, annotate(kind, object, { [progressKey(name)]: text }, labelFor(object, name, next)));
    } catch (failure) {
      if (isConflict(failure)) return outcomeOf(error);
      missed("The outage was not written down")(failure);
      // Since when it is away, the Event alone says then.
      await record(true);
      return outcomeOf(error);
    }
    if (!isSame) await record();
  }
  const isFresh = now - Date.parse(since) < brokerRetries;
  // An Event that was refused is tried again with the broker's retries; one that is there is not written again.
  if (isSame && isFresh) await record();
  return isFresh ? outcomeOf(error) : { result: "away", status: 204, message };
}

/**
 * Why nothing is called now, where the last call found no connection: until the due time of its note, which the sweep
 * keeps. `undefined` where it may be. `now` is in milliseconds since the epoch.
 */
export function pauseOf(rule: Pick<Rule, "name">, object: KubernetesObject, now: number): Outcome | undefined {
  const before = readProgress(object, awayNameOf(rule));
  if (before?.unsent !== true || !isPending(before, now)) return undefined;
  return { result: "away", status: 204, message: before.because };
}

/** The clock of the instance that wrote it may be a minute ahead. A time that is later still says nothing. */
function isPending(before: Progress | undefined, now: number): boolean {
  const left = Date.parse(before?.next ?? "") - now;
  return left > 0 && left <= ((before && pauseIn(before)) ?? secondLook) + minute;
}

/** Milliseconds of the pause after the last call, which found no connection; `undefined` where another one failed. */
function pauseIn({ unsent, pause }: Progress): number | undefined {
  if (unsent !== true) return undefined;
  return typeof pause === "number" && pause > 0 ? Math.min(pause, longestPause) : secondLook;
}

/** An outage that has ended: the object without its annotation, and the reason of the Event that is no longer true. */
export interface Recovery {
  readonly object: KubernetesObject;
  readonly annotations: Readonly<Record<string, null>>;
  /** Of the waiting label, where no other due time is left on the object. */
  readonly labels: Readonly<Record<string, string | null>> | undefined;
  readonly reasons: readonly string[];
}

/**
 * What the rule has written down about an outage, to be cleared; `undefined` where there is nothing, and before the due
 * time of the note. A system that answers every other request would have it written and removed with every look, and
 * each of these writes comes back as an event. At the due time the sweep sends the object. `now` is in milliseconds
 * since the epoch.
 */
export function recoveryOf(rule: Pick<Rule, "name">, object: KubernetesObject, now: number): Recovery | undefined {
  const name = awayNameOf(rule);
  const key = progressKey(name);
  const { [key]: text, ...annotations } = object.metadata.annotations ?? {};
  if (text === undefined) return undefined;
  const before = readProgress(object, name);
  if (isPending(before, now)) return undefined;
  return {
    object: { ...object, metadata: { ...object.metadata, annotations } },
    annotations: { [key]: null },
    labels: labelFor(object, name, undefined),
    reasons: before ? [before.step] : [],
  };
}
