import type { HttpRequest, HttpResponse } from "../../shared/http-message.ts";
import type { PostTools } from "../delivery/post.ts";
import { type Attributes, type CloudEvent, InvalidEvent, validate } from "../event/cloud-event.ts";
import { eventFrom } from "../event/from-http.ts";
import { timestamp } from "../event/timestamp.ts";
import { type Backlog, createBacklog } from "./backlog.ts";
import { deliver } from "./deliver.ts";
import { passedThrough } from "./headers.ts";
import type { Subscription } from "./subscription.ts";
import { nextTtl, ttlExtension } from "./ttl.ts";

export interface BrokerOptions {
  readonly namespace: string;
  readonly name: string;
  /** Where the broker is reached: `status.address.url`. */
  readonly url: string;
  /**
   * The annotation `messaging.knative.dev/async-handler`: answer 202 before the subscribers have the event, instead of
   * after all of them are done with it, retries included.
   */
  readonly async: boolean;
  /** What counts the events that wait for their deliveries; without one there is no limit. */
  readonly backlog?: Backlog;
  /** How an event is brought to one subscriber; {@link deliver} by default. */
  readonly deliver?: typeof deliver;
}

/** A channel-based broker that keeps events in memory only, as the default one of Knative does. */
export interface Broker {
  readonly url: string;
  readonly async: boolean;
  /**
   * The ingress. 202 accepted, 400 no event or its time to live is used up, 500 a subscriber failed for good without a
   * dead-letter sink (synchronous brokers only), 503 too much waits for delivery. Rejects while the broker is stopped.
   * When `signal` aborts, the sender has gone away: a synchronous broker gives up what is still pending for it.
   */
  receive(request: HttpRequest, signal?: AbortSignal): Promise<HttpResponse>;
  /** Sets who is delivered to; takes effect with the next event. */
  subscribe(subscriptions: readonly Subscription[]): void;
  /** Takes the broker down. Every event that is not done with is lost. */
  stop(): void;
  start(): void;
  /** Loses every event that is not done with, as when the channel's process ends; who waits for one is answered 500. */
  lose(message: string): void;
  /** Deliveries that are not done with. */
  pending(): number;
}

/** After this a synchronous broker gives up waiting for its subscribers and answers 500 (milliseconds). */
const fanoutTimeout = 15 * 60_000;

/** A broker, running. */
export function createBroker(options: BrokerOptions, tools: PostTools): Broker {
  const { namespace, name, url, async: isAsync } = options;
  const { clock, trace, beginSpan } = tools;
  const by = `Broker ${namespace}/${name}`;
  const bring = options.deliver ?? deliver;
  const backlog = options.backlog ?? createBacklog(Number.POSITIVE_INFINITY);
  const pending = new Set<AbortController>();
  let subscriptions: readonly Subscription[] = [];
  let stopped = false;

  async function receive(request: HttpRequest, signal?: AbortSignal): Promise<HttpResponse> {
    if (stopped) throw new Error(`connection refused: ${by} is stopped`);
    let event: CloudEvent;
    try {
      event = eventFrom(request);
      validate(event.attributes);
    } catch (error) {
      if (error instanceof InvalidEvent) return refuse(request, error.message);
      throw error;
    }
    const ttl = nextTtl(event.attributes);
    if (ttl === 0) return refuse(request, "its time to live is used up: replies go round in a circle");
    const { [ttlExtension]: _, ...attributes } = event.attributes;
    const now = clock.now();
    event = { attributes: { ...attributes, knativearrivaltime: timestamp(now) }, body: event.body };
    const matching = subscriptions.filter(({ filter }) => filter(event.attributes));
    // Each delivery may encode the event for itself.
    const size = sizeOf(request);
    if (!backlog.hold(matching.length * size)) return refuse(request, "too much waits for delivery", 503);
    trace?.({ at: now, hop: "accepted", event: event.attributes, by });
    if (matching.length === 0) return accepted;

    const run = new AbortController();
    pending.add(run);
    const span = beginSpan?.(by, event.attributes, request.headers);
    const headers = { ...passedThrough(request.headers), ...span?.headers };
    const deliveries = matching.map((subscription) =>
      dispatch(event, String(ttl), headers, subscription, run.signal).finally(() => backlog.release(size)),
    );
    const done = Promise.all(deliveries).finally(() => {
      pending.delete(run);
      span?.end();
    });
    if (isAsync) {
      done.catch(() => {});
      return accepted;
    }
    return whenDone(done, run, signal);
  }

  function lose(message: string): void {
    for (const run of pending) run.abort(new Error(message));
  }

  function refuse(request: HttpRequest, message: string, status = 400): HttpResponse {
    trace?.({ at: clock.now(), hop: "refused", event: ceHeaders(request), by, message });
    return { status, headers: {}, body: "" };
  }

  async function dispatch(
    event: CloudEvent,
    ttl: string,
    headers: Readonly<Record<string, string>>,
    subscription: Subscription,
    signal: AbortSignal,
  ): Promise<boolean> {
    const trigger = `${subscription.namespace}/${subscription.name}`;
    trace?.({
      at: clock.now(),
      hop: "matched",
      event: event.attributes,
      by: `Trigger ${trigger}`,
      to: subscription.subscriber,
    });
    try {
      return await bring(tools, { url, receive }, { event, ttl, headers, subscription, signal });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      trace?.({ at: clock.now(), hop: "dropped", event: event.attributes, by: `Trigger ${trigger}`, message });
      throw error;
    }
  }

  async function whenDone(
    done: Promise<boolean[]>,
    run: AbortController,
    signal: AbortSignal | undefined,
  ): Promise<HttpResponse> {
    const leave = () => run.abort(new Error("the sender went away"));
    const late = Promise.withResolvers<HttpResponse>();
    const callOff = clock.after(fanoutTimeout, () => late.resolve(failed));
    if (signal?.aborted) leave();
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([done.then((results) => (results.every(Boolean) ? accepted : failed)), late.promise]);
    } catch (error) {
      if (stopped || signal?.aborted) throw error;
      return failed;
    } finally {
      callOff();
      signal?.removeEventListener("abort", leave);
    }
  }

  return {
    url,
    async: isAsync,
    receive,
    subscribe: (next) => {
      subscriptions = next;
    },
    stop: () => {
      stopped = true;
      lose("the broker was stopped; it keeps events in memory only");
    },
    start: () => {
      stopped = false;
    },
    lose,
    pending: () => pending.size,
  };
}

const accepted: HttpResponse = { status: 202, headers: {}, body: "" };
const failed: HttpResponse = { status: 500, headers: {}, body: "" };

/** In bytes. */
const sizeOf = ({ headers, body }: HttpRequest): number => Buffer.byteLength(body) + JSON.stringify(headers).length;

/** What a request says of itself, for the trace of one that is refused. */
function ceHeaders({ headers }: HttpRequest): Attributes {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (name.startsWith("ce-") ? [[name.slice(3), value]] : [])),
  );
}
