import type { Clock } from "../../shared/clock.ts";
import type { HttpRequest, HttpResponse } from "../../shared/http-message.ts";
import type { Attributes } from "../event/cloud-event.ts";
import type { Send } from "../send.ts";
import type { BeginSpan } from "../spans.ts";
import type { Trace } from "../trace.ts";
import type { DeliveryPolicy } from "./policy.ts";

/** Something that is not there: connection refused, reset, or no answer within the policy's timeout. */
interface NoAnswer {
  readonly status: 0;
  readonly message: string;
  readonly timedOut: boolean;
}

export type Answer = HttpResponse | NoAnswer;

/** One request, to be sent as often as its policy allows. */
export interface Post {
  readonly url: string;
  readonly request: HttpRequest;
  readonly policy: DeliveryPolicy;
  /** Who sends, and what, for the trace. */
  readonly by: string;
  readonly event: Attributes;
  /** Ends waiting and sending: the sender behind us went away, or the broker stopped. */
  readonly signal: AbortSignal;
  /** What to make of a reply before it is judged. */
  readonly judge?: (response: HttpResponse) => HttpResponse;
  /** Which answers are tried again; what the in-memory channel does by default. */
  readonly isRetried?: (status: number) => boolean;
}

export interface PostTools {
  readonly clock: Clock;
  readonly send: Send;
  readonly trace?: Trace | undefined;
  /** Absent where nothing takes spans. */
  readonly beginSpan?: BeginSpan | undefined;
}

export const isSuccess = (answer: Answer): answer is HttpResponse => answer.status >= 200 && answer.status < 300;

/** What the in-memory channel sends again: no answer, 5xx, 404 (a pod may not be ready yet), 408, 409 and 429. */
const channelRetries = (status: number): boolean =>
  status === 0 || status >= 500 || status === 404 || status === 408 || status === 409 || status === 429;

/**
 * Posts until it succeeds, is refused for good or the retries are used up; returns the last answer. Rejects when
 * `signal` aborts.
 */
export async function post(tools: PostTools, { judge, isRetried = channelRetries, ...task }: Post): Promise<Answer> {
  const { clock, trace } = tools;
  const { url, policy, by, event, signal } = task;
  for (let retries = 0; ; retries++) {
    const began = clock.now();
    let answer = await once(tools, task);
    if (judge && !("message" in answer)) answer = judge(answer);
    const again = !isSuccess(answer) && isRetried(answer.status) && retries < policy.retry;
    const wait = again ? Math.max(policy.wait(retries), retryAfter(answer, policy, clock)) : 0;
    if (trace) {
      const hop = { at: clock.now(), event, by, to: url, attempt: retries + 1, status: answer.status };
      const took = clock.now() - began;
      if (isSuccess(answer)) trace({ ...hop, hop: "delivered", took });
      else trace({ ...hop, hop: "failed", took, ...(again ? { retryIn: wait } : {}) });
    }
    if (!again) return answer;
    if (wait > 0) await clock.sleep(wait, signal);
  }
}

async function once({ clock, send }: PostTools, task: Omit<Post, "judge" | "isRetried">): Promise<Answer> {
  const { url, request, policy, signal } = task;
  signal.throwIfAborted();
  const { timeout } = policy;
  const stop = new AbortController();
  // A subscriber need not notice that the broker no longer waits for it.
  const stopped = Promise.withResolvers<never>();
  const end = (reason: unknown) => {
    stop.abort(reason);
    stopped.reject(reason);
  };
  const leave = () => end(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  let timedOut = false;
  const late = () => {
    timedOut = true;
    end(new Error(`no answer within ${timeout} ms`));
  };
  const callOff = timeout === undefined ? undefined : clock.after(timeout, late);
  try {
    return await Promise.race([send(url, request, stop.signal), stopped.promise]);
  } catch (error) {
    signal.throwIfAborted();
    const message = timedOut
      ? `no answer within ${timeout} ms`
      : error instanceof Error
        ? error.message
        : String(error);
    return { status: 0, message, timedOut };
  } finally {
    callOff?.();
    signal.removeEventListener("abort", leave);
  }
}

/** Milliseconds that a 429 or 503 asks for, as far as the policy honours it. */
function retryAfter(answer: Answer, policy: DeliveryPolicy, clock: Clock): number {
  if (policy.retryAfterMax === undefined || "message" in answer) return 0;
  if (answer.status !== 429 && answer.status !== 503) return 0;
  const header = answer.headers["retry-after"] ?? "";
  const asked = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - clock.now();
  return asked > 0 ? Math.min(asked, policy.retryAfterMax) : 0;
}
