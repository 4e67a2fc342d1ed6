import { randomBytes } from "node:crypto";
import type { BeginSpan } from "../../eventing/spans.ts";
import { producer, type Span } from "./trace-lines.ts";

/** W3C's `traceparent`: a version, the trace, the span that it comes from, and whether it is sampled. */
const traceparent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Spans of sources and brokers, each taken when it ends. An event that comes with a `traceparent`, of the request or as
 * an attribute of its own, continues that trace. Another one begins a trace.
 */
export function hopSpans(take: (span: Span) => void): BeginSpan {
  return (name, event, headers) => {
    const given = [headers.traceparent, event.traceparent].find((one) => traceparent.test(one ?? "")) ?? "";
    const [, traceId = randomBytes(16).toString("hex"), parent, flags = "01"] = traceparent.exec(given) ?? [];
    const spanId = randomBytes(8).toString("hex");
    const began = now();
    return {
      headers: { traceparent: `00-${traceId}-${spanId}-${flags}` },
      end: () =>
        take({
          ...{ traceId, spanId, name, kind: producer, startTimeUnixNano: began, endTimeUnixNano: now() },
          ...(parent === undefined ? {} : { parentSpanId: parent }),
          ...{ attributes: [], status: {} },
        }),
    };
  };
}

/** In nanoseconds since the epoch. Clocks of processes agree better on it than on a time since they began. */
const now = () => String(BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n);
