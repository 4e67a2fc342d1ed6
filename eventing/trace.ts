import type { Attributes } from "./event/cloud-event.ts";

/**
 * One step on the way of an event, or the loss of events that no source saw. `at` is in milliseconds since the epoch.
 */
export type Hop = { at: number } & (
  | ({ event: Attributes } & EventHop)
  /** `gap`: changes from here until the next watch are lost, no event shows them. `trouble`: what is tried again. */
  | { hop: "gap" | "trouble"; by: string; message: string }
);

/** Who is named as `by` reads like `Broker shop/workloads`; attempts count from 1; `took` is in milliseconds. */
type EventHop =
  | { hop: "emitted"; by: string; to: string }
  | { hop: "accepted"; by: string }
  | { hop: "refused"; by: string; message: string }
  | { hop: "matched"; by: string; to: string }
  | { hop: "delivered"; by: string; to: string; attempt: number; status: number; took: number }
  /** A try that failed; `status` is 0 when there was no answer, `retryIn` absent when it was the last try. */
  | { hop: "failed"; by: string; to: string; attempt: number; status: number; took: number; retryIn?: number }
  | { hop: "replied"; by: string; reply: Attributes }
  | { hop: "dead-lettered"; by: string; to: string }
  | { hop: "dropped"; by: string; message: string };

/** Called with every hop, in order; must not throw. */
export type Trace = (hop: Hop) => void;

/** A hop in one line for people, without its time. */
export function describeHop(hop: Hop): string {
  if (!("event" in hop)) return `${hop.by} has ${hop.hop === "gap" ? "a gap" : "trouble"}: ${hop.message}`;
  const { type = "?", kind, namespace, name, id } = hop.event;
  const subject = kind ? ` ${kind} ${namespace ? `${namespace}/` : ""}${name}` : "";
  const event = `${type}${subject} (${id})`;
  switch (hop.hop) {
    case "emitted":
    case "matched":
    case "dead-lettered":
      return `${hop.by} ${hop.hop} ${event} for ${hop.to}`;
    case "accepted":
      return `${hop.by} accepted ${event}`;
    case "refused":
    case "dropped":
      return `${hop.by} ${hop.hop} ${event}: ${hop.message}`;
    case "replied":
      return `${hop.by} took ${hop.reply.type} as the reply to ${event}`;
    case "delivered":
    case "failed": {
      const answer = hop.status ? `answered ${hop.status}` : "did not answer";
      const again = hop.hop === "failed" && hop.retryIn !== undefined ? `, again in ${hop.retryIn} ms` : "";
      return `${hop.by} sent ${event} to ${hop.to}, which ${answer} in ${hop.took} ms (try ${hop.attempt}${again})`;
    }
  }
}
