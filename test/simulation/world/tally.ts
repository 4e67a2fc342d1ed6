import type { HttpRequest } from "../../../shared/http-message.ts";
import type { Outgoing } from "./network.ts";

/** How much functions ask of the API server. */
export interface Tally {
  count(outgoing: Outgoing): void;
  /** What is wrong with how much was asked, or `undefined`. */
  tooMuch(): string | undefined;
}

/**
 * Requests that a rule may send for an event that makes it look, on average over a run, further pages of a list not counted: three
 * looks, and for each of a handful of objects a write and the words about it. Who waits by asking again and again sends more.
 */
const most = 40;

/** Counts the requests of each rule, and the events that they were sent for. */
export function createTally(): Tally {
  const rules = new Map<string, { requests: number; events: Set<HttpRequest | undefined> }>();
  return {
    count({ process: { rule }, request, event }) {
      if (request.path.includes("continue=")) return;
      const tally = rules.get(rule) ?? { requests: 0, events: new Set() };
      tally.requests++;
      tally.events.add(event);
      rules.set(rule, tally);
    },
    tooMuch() {
      for (const [rule, { requests, events }] of rules)
        if (requests > most * events.size) return `${rule} sent ${requests} requests for ${events.size} events.`;
      return undefined;
    },
  };
}
