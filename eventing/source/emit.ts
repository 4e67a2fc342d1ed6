import type { Clock } from "../../shared/clock.ts";
import type { DeliveryPolicy } from "../delivery/policy.ts";
import { isSuccess, post } from "../delivery/post.ts";
import type { CloudEvent } from "../event/cloud-event.ts";
import { timestamp } from "../event/timestamp.ts";
import { toBinary } from "../event/to-http.ts";
import type { Random } from "../random.ts";
import type { Send } from "../send.ts";
import type { BeginSpan } from "../spans.ts";
import type { Trace } from "../trace.ts";

/** What a source needs to send an event. */
export interface EmitTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly send: Send;
  readonly trace?: Trace | undefined;
  /** Absent where nothing takes spans. */
  readonly beginSpan?: BeginSpan | undefined;
  /** How an event is posted, retries included; {@link post} by default. */
  readonly post?: typeof post;
}

/** Who sends where. */
export interface Emitter {
  /** For the trace: `ApiServerSource shop/pods`. */
  readonly by: string;
  /** The source's own namespace: the header `Kn-Namespace`. */
  readonly namespace: string;
  /** URL of the sink. */
  readonly sink: string;
  /** Set on the event over what is there. */
  readonly extensions: Readonly<Record<string, string>>;
}

/** Five retries after 100, 200, 400, 800 and 1,600 ms: 3.1 s in all. */
const policy: DeliveryPolicy = { retry: 5, wait: (retry) => 100 * 2 ** retry };

/** What a source sends again, besides having had no answer: never a 500, and never as late as `Retry-After` asks. */
const retried = new Set([0, 404, 413, 425, 429, 502, 503, 504]);

/**
 * Sends one event with a fresh id, as often as a source does; then drops it. Resolves when that is over. Never rejects.
 */
export async function emit(tools: EmitTools, emitter: Emitter, made: CloudEvent, signal: AbortSignal): Promise<void> {
  const { clock, random, trace } = tools;
  const { by, namespace, sink, extensions } = emitter;
  const now = clock.now();
  const event: CloudEvent = {
    attributes: { ...made.attributes, id: random.uuid(), time: timestamp(now), ...extensions },
    body: made.body,
  };
  trace?.({ at: now, hop: "emitted", event: event.attributes, by, to: sink });
  const drop = (message: string) => trace?.({ at: clock.now(), hop: "dropped", event: event.attributes, by, message });
  const span = tools.beginSpan?.(by, event.attributes, {});
  const request = toBinary(event, { "kn-namespace": namespace, ...span?.headers });
  try {
    const task = { url: sink, request, policy, by, event: event.attributes, signal };
    const answer = await (tools.post ?? post)(tools, { ...task, isRetried: (status) => retried.has(status) });
    if (!isSuccess(answer)) drop(retried.has(answer.status) ? "six tries failed" : `a ${answer.status} is final`);
  } catch (error) {
    drop(error instanceof Error ? error.message : String(error));
  } finally {
    span?.end();
  }
}
