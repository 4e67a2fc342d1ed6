import type { Clock } from "../../shared/clock.ts";
import type { Random } from "../time/random.ts";
import type { Attributes } from "./event/cloud-event.ts";
import type { Send } from "./send.ts";

/**
 * What becomes of one event: one number per copy, the milliseconds until that copy goes on. `[0]` is no fault, `[]` loses the event,
 * `[0, 0]` doubles it, and different delays for different events put them out of order.
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
