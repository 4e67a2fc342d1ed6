import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  diag,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { EnvelopeError, readEventMessage } from "../event/event-message.ts";
import type { HttpRequest } from "../http-message.ts";

/** An event that a function is working on. */
interface OpenEvent {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly parent: Context;
  readonly links: readonly Link[];
  readonly arrived: Date;
  span?: Span;
}

/** What a span is begun with. */
interface Beginning {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** Spans elsewhere that the work follows from. */
  readonly follows?: readonly SpanContext[];
  /** Ids of events that the work is for, besides the one that it was begun for. */
  readonly events?: readonly string[];
}

/** The spans of a function. */
export interface Spans {
  /** Works on an event, which has a span as soon as something within has one. */
  ofEvent<Result>(request: HttpRequest, work: () => Promise<Result>, ended: Ended<Awaited<Result>>): Promise<Result>;
  /** The span of what is being done. */
  current(): SpanContext | undefined;
  /** Does something within what is being done. Work that is not asynchronous ends its span at once. */
  within<Result>(name: string, beginning: Beginning, work: () => Result, ended?: Ended<Awaited<Result>, Span>): Result;
}

/** Sees how something ended: what it came to, or what it threw. */
export type Ended<Result, In = Span | undefined> = (span: In, result: Result | undefined, error?: unknown) => void;

const eventKey = createContextKey("event");

/**
 * Spans by OpenTelemetry's tracer. Most events change nothing: such an event begins no span, and makes no trace.
 * What belongs together follows from the asynchronous context, so that no rule need pass anything on.
 */
export function spansOf(scope: string): Spans {
  const tracer = trace.getTracer(scope);
  const open = new Map<unknown, OpenEvent>();

  function spanOf(event: OpenEvent): Span {
    const { attributes, parent, links, arrived } = event;
    event.span ??= tracer.startSpan(
      `CloudEvents Process ${attributes.type}`,
      { kind: SpanKind.CONSUMER, startTime: arrived, links: [...links], attributes: attributesOf(attributes) },
      parent,
    );
    return event.span;
  }

  function currentContext(): Context {
    const active = context.active();
    const event = active.getValue(eventKey) as OpenEvent | undefined;
    return event && !trace.getSpan(active) ? trace.setSpan(active, spanOf(event)) : active;
  }

  return {
    ofEvent(request, work, ended) {
      const attributes = attributesIn(request);
      const event: OpenEvent = { attributes, ...originOf(request, attributes), arrived: new Date() };
      open.set(attributes.id, event);
      return context.with(ROOT_CONTEXT.setValue(eventKey, event), () =>
        settle(work, (result, error) => {
          open.delete(attributes.id);
          ended(event.span, result, error);
          event.span?.end();
        }),
      );
    },
    current: () => trace.getSpanContext(context.active()),
    within(name, { kind = SpanKind.INTERNAL, attributes = {}, events = [], follows = [] }, work, ended = () => {}) {
      const parent = currentContext();
      const own = trace.getSpanContext(parent)?.spanId;
      const others = events.flatMap((id) => open.get(id) ?? []).map((event) => spanOf(event).spanContext());
      const links = [...others, ...follows].filter(({ spanId }) => spanId !== own).map((context) => ({ context }));
      const span = tracer.startSpan(name, { kind, attributes, links }, parent);
      return context.with(trace.setSpan(parent, span), () =>
        settle(work, (result, error) => {
          if (error !== undefined) failed(span, error);
          ended(span, result, error);
          span.end();
        }),
      );
    },
  };
}

/** Marks a span as that of something that did not succeed. */
export function failed(span: Span | undefined, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  span?.setStatus({ code: SpanStatusCode.ERROR, message });
}

function settle<Result>(work: () => Result, atEnd: (result?: Awaited<Result>, error?: unknown) => void): Result {
  const end: typeof atEnd = (result, error) => {
    try {
      atEnd(result, error);
    } catch (defect) {
      // The work is done, also if telemetry fails.
      diag.error(`A span could not be ended: ${defect}`);
    }
  };
  let result: Result;
  try {
    result = work();
  } catch (error) {
    end(undefined, error);
    throw error;
  }
  if (!(result instanceof Promise)) {
    end(result as Awaited<Result>);
    return result;
  }
  return result.then(
    (value) => {
      end(value);
      return value;
    },
    (error) => {
      end(undefined, error);
      throw error;
    },
  ) as Result;
}

/** What cannot be read makes a span of few words: it is the function that says what is wrong with it. */
function attributesIn(request: HttpRequest): OpenEvent["attributes"] {
  try {
    return readEventMessage(request).attributes;
  } catch (error) {
    if (error instanceof EnvelopeError) return {};
    throw error;
  }
}

/** By the conventions for CloudEvents; and which object it is about. */
function attributesOf({ id, source, type, kind, namespace, name }: OpenEvent["attributes"]): Attributes {
  return {
    "cloudevents.event_id": String(id),
    "cloudevents.event_source": String(source),
    "cloudevents.event_type": String(type),
    ...(kind ? { "holdfast.object": `${kind} ${[namespace, name].filter(Boolean).join("/")}` } : {}),
  };
}

/**
 * The span that an event comes from. Each hop of HTTP has a `traceparent` header of its own; the attribute of
 * CloudEvents' distributed tracing extension is where the event was made. Where both are there and differ, the latter
 * is linked.
 */
function originOf(request: HttpRequest, attributes: OpenEvent["attributes"]): Pick<OpenEvent, "parent" | "links"> {
  const hop = propagation.extract(ROOT_CONTEXT, request.headers);
  const made = propagation.extract(ROOT_CONTEXT, attributes);
  const [sent, origin] = [trace.getSpanContext(hop), trace.getSpanContext(made)];
  if (!sent) return { parent: made, links: [] };
  return { parent: hop, links: origin && !isSame(origin, sent) ? [{ context: origin }] : [] };
}

const isSame = (one: SpanContext, other: SpanContext) => one.traceId === other.traceId && one.spanId === other.spanId;
