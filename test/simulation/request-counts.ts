import type { HttpRequest } from "../../shared/http-message.ts";
import { waitingLabel } from "../../shared/progress.ts";
import type { Outgoing } from "../harness/simulated/network.ts";
import type { Process } from "../harness/simulated/process.ts";

/** How much functions ask of the API server. */
export interface Counts {
  count(outgoing: Outgoing): void;
  /** What is wrong with how much was asked, or `undefined`. */
  tooMuch(): string | undefined;
}

/**
 * Requests that a rule may send for an event that makes it look, on average over a run, further pages of a list not
 * counted: three looks, and for each of a handful of objects a write and the words about it. Who waits by asking again
 * and again sends more; the sweep alone is to do that, while something of its lists falls due.
 */
const most = 40;

const isNap = (rule: string, path: string) =>
  rule === "platform/sweep" && decodeURIComponent(path).includes(`labelSelector=${waitingLabel}=true`);

/** Counts the requests of each rule, and the events that its processes sent them for. */
export function createCounts(): Counts {
  const rules = new Map<string, { requests: number; events: number }>();
  const known = new Map<Process, Set<HttpRequest>>();
  return {
    count({ process, request, events }) {
      if (request.path.includes("continue=") || isNap(process.rule, request.path)) return;
      const counts = rules.get(process.rule) ?? { requests: 0, events: 0 };
      rules.set(process.rule, counts);
      counts.requests++;
      // Two processes may be handed the same one.
      const before = known.get(process) ?? new Set();
      known.set(process, before);
      counts.events += events.filter((event) => !before.has(event)).length;
      for (const event of events) before.add(event);
    },
    tooMuch() {
      for (const [rule, { requests, events }] of rules)
        if (requests > most * events) return `${rule} sent ${requests} requests for ${events} events.`;
      return undefined;
    },
  };
}
