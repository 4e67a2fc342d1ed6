import { createBroker } from "../../../eventing/broker/broker.ts";
import { deliver } from "../../../eventing/broker/deliver.ts";
import { post } from "../../../eventing/delivery/post.ts";
import type { Attributes } from "../../../eventing/event/cloud-event.ts";
import type { Random } from "../../../eventing/random.ts";
import type { Send } from "../../../eventing/send.ts";
import type { Clock } from "../../../shared/clock.ts";

/**
 * What becomes of one event: one number per copy, the milliseconds until that copy goes on. `[0]` is no fault, `[]`
 * loses the event, `[0, 0]` doubles it, and different delays for different events put them out of order.
 */
export type Fate = readonly number[];

/** Asked for each event that a source is about to send, and for each delivery that a broker is about to begin. */
export interface Faults {
  source?(event: Attributes): Fate;
  broker?(event: Attributes, trigger: string): Fate;
}

/** How often each fault strikes (0 to 1), and how long a delay may be (milliseconds). */
export interface FaultRates {
  drop?: number;
  duplicate?: number;
  delay?: number;
  longestDelay?: number;
}

/** Draws a fate for each event. Delays are drawn for each copy alone, so that `delay` also reorders. */
export function randomFate(rates: FaultRates, random: Random): () => Fate {
  const { drop = 0, duplicate = 0, delay = 0, longestDelay = 1000 } = rates;
  const copy = () => (random.next() < delay ? random.below(longestDelay) + 1 : 0);
  return () => {
    if (random.next() < drop) return [];
    return random.next() < duplicate ? [copy(), copy()] : [copy()];
  };
}

/** A `Send` whose requests reach a slow subscriber: `delay` says for each URL how many milliseconds later. */
export function slowed(send: Send, clock: Clock, delay: (url: string) => number): Send {
  return async (url, request, signal) => {
    const ms = delay(url);
    if (ms > 0) await clock.sleep(ms, signal);
    return send(url, request, signal);
  };
}

/** What a source posts its events with, for `EmitTools.post`: each event meets its fate first. */
export function fatedPost(faults: Faults): typeof post {
  return async (tools, task) => {
    const fate = faults.source?.(task.event) ?? [0];
    const { clock, trace } = tools;
    const drop = (message: string) =>
      trace?.({ at: clock.now(), hop: "dropped", event: task.event, by: task.by, message });
    if (fate.length === 0) drop("a fault was asked for");
    const later = async (ms: number) => {
      await clock.sleep(ms, task.signal);
      await post(tools, task);
    };
    // The source does not wait for a copy that is delayed: what it sends next may overtake it.
    for (const ms of fate.filter((ms) => ms > 0)) {
      later(ms).catch((error: unknown) => drop(error instanceof Error ? error.message : String(error)));
    }
    let answer: Awaited<ReturnType<typeof post>> = { status: 202, headers: {}, body: "" };
    for (const ms of fate) if (ms === 0) answer = await post(tools, task);
    return answer;
  };
}

/** Creates brokers, for `EventingOptions.createBroker`, whose deliveries each meet their fate first. */
export function fatedBrokers(faults: Faults, create: typeof createBroker = createBroker): typeof createBroker {
  return (options, tools) => {
    const inner = options.deliver ?? deliver;
    const fated: typeof deliver = async (given, replyTo, delivery) => {
      const { event, signal, subscription } = delivery;
      const trigger = `${subscription.namespace}/${subscription.name}`;
      const fate = faults.broker?.(event.attributes, trigger) ?? [0];
      if (fate.length === 0) {
        const dropped = { hop: "dropped", by: `Trigger ${trigger}`, message: "a fault was asked for" } as const;
        given.trace?.({ at: given.clock.now(), event: event.attributes, ...dropped });
      }
      const copies = fate.map(async (ms) => {
        if (ms > 0) await given.clock.sleep(ms, signal);
        return inner(given, replyTo, delivery);
      });
      return (await Promise.all(copies)).every(Boolean);
    };
    return create({ ...options, deliver: fated }, tools);
  };
}
