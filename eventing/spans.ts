import type { Attributes } from "./event/cloud-event.ts";

type Headers = Readonly<Record<string, string>>;

/** What a source or a broker does with one event, as a span of the event's trace. */
export interface HopSpan {
  /** By these the next hop takes part in the trace. */
  readonly headers: Headers;
  end(): void;
}

/** Begins the span of `Broker shop/workloads`, or of a source, for an event that came with these headers. */
export type BeginSpan = (by: string, event: Attributes, headers: Headers) => HopSpan;

/** W3C's Trace Context. Who adds no span of its own hands both on as they are. */
export const traceHeaders: ReadonlySet<string> = new Set(["traceparent", "tracestate"]);
