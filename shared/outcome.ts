import { Contended } from "./contended.ts";
import type { Decision } from "./decision.ts";
import { MalformedEvent } from "./event/malformed-event.ts";
import type { HttpResponse } from "./http-message.ts";
import { ApiError } from "./kubernetes/api-error.ts";
import { SystemError } from "./system/system-error.ts";
import { truncate } from "./truncate.ts";

/** How one decision, or one run that did not come to a decision, ended. */
export interface Outcome {
  readonly result: Decision["do"] | "gone" | "failed" | "away";
  /**
   * 204: done, nothing to do, waiting, or an outage that the object itself names (`away`). 503: not reachable or
   * contended, the broker tries again. 400, 403, 415: it does not, and the event goes to the dead-letter sink; the
   * sweep sends it again, because what refuses may go. 500: a defect of ours; brokers try again, then dead-letter it.
   */
  readonly status: 204 | 400 | 403 | 415 | 500 | 503;
  /** A whole sentence. */
  readonly message: string;
  /** Milliseconds that the API server, or an external system, asks to be left alone; with 503 only. */
  readonly retryAfter?: number;
}

/** What was looked at has changed, so that another look is called for. `conflict`: the outcome where there is none. */
export interface Conflict {
  readonly conflict: Outcome;
}

/**
 * The outcome of an error. Kubernetes' own 404 and 409 never become our status, because brokers would read them as
 * the function's: 404 is handled where it means "gone", and a conflict that outlasted the retries is contention.
 */
export function outcomeOf(error: unknown): Outcome {
  if (error instanceof MalformedEvent) return failed(error.status === 415 ? 415 : 400, error.message);
  if (error instanceof SystemError) return outcomeOfSystem(error);
  if (error instanceof Contended) return failed(503, error.message);
  if (!(error instanceof ApiError)) return failed(500, `This is a defect of the function: ${messageOf(error)}`);
  // A denial by RBAC names who may not do what; admission forbids as well, and says why itself.
  if (error.status === 403)
    return failed(
      403,
      / cannot /.test(error.message) ? `${error.message} Grant it to the function's role.` : error.message,
    );
  // What the server calls invalid is so to the broker's next attempts, too. A failed test of a patch has no causes and
  // never comes this far.
  if ([400, 405, 413, 415, 422].includes(error.status)) return failed(400, error.message);
  // 401 among the rest: a token that was rotated, or an API server that starts, mends itself.
  const { retryAfter } = error;
  return { ...failed(503, error.message), ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/**
 * What may come right by itself is tried again; where a person must act, the dead-lettered event says so on the object.
 */
function outcomeOfSystem({ failure, message, retryAfter }: SystemError): Outcome {
  switch (failure) {
    case "unreachable":
    case "overloaded":
      return { ...failed(503, message), ...(retryAfter === undefined ? {} : { retryAfter }) };
    case "unauthorized":
      return failed(403, message);
    case "refused":
      return failed(400, message);
  }
}

/**
 * The reply to the broker. A 2xx must not carry a body: one that is no CloudEvent is turned into 502 and retried.
 * Brokers honour `Retry-After` of a 503 where the Trigger sets `retryAfterMax`.
 */
export function replyTo(outcomes: readonly Outcome[]): HttpResponse {
  const worst = outcomes.reduce<Outcome | undefined>(
    (worst, next) => (!worst || severity(next) > severity(worst) ? next : worst),
    undefined,
  );
  if (!worst || worst.status === 204) return { status: 204, headers: {}, body: "" };
  const pause = worst.status === 503 ? Math.max(0, ...outcomes.map(({ retryAfter = 0 }) => retryAfter)) : 0;
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    ...(pause > 0 ? { "retry-after": String(Math.ceil(pause / 1000)) } : {}),
  };
  return { status: worst.status, headers, body: truncate(worst.message, longestReply) };
}

/**
 * The longest reply, in bytes. The channel dispatcher of Knative Eventing 1.22.2 panics on a longer one that goes to a
 * dead-letter sink (it reserves 1,024 characters for the base64 form), and takes every event in its memory with it.
 */
export const longestReply = 768;

/** What can still succeed outranks what is final: a retry repeats both, and the final one is reported then. */
const severity = (outcome: Outcome) => [204, 415, 400, 403, 500, 503].indexOf(outcome.status);

const failed = (status: Outcome["status"], message: string): Outcome => ({ result: "failed", status, message });

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
