import { expect, test } from "vitest";
import { terminal } from "../../shared/terminal/terminal.ts";
import { hopSpans } from "./hop-spans.ts";
import { startTraces } from "./start-traces.ts";
import { type Span, traceLines } from "./trace-lines.ts";

const traceId = "0123456789abcdef".repeat(2);
const span = (id: number, parent: number, name: string, attributes: Record<string, string> = {}): Span => ({
  ...{ traceId, spanId: String(id), parentSpanId: String(parent), name, status: {} },
  startTimeUnixNano: `170000000000000000${id}`,
  endTimeUnixNano: `17000000000${12_000_000 + id}0`.slice(0, 19),
  attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
});
const object = "PersistentVolumeClaim shop/data";
const spans: readonly Span[] = [
  span(3, 2, "get PersistentVolumeClaim", { "holdfast.object": object }),
  {
    ...span(4, 2, "wait", { "holdfast.object": object, "holdfast.step": "held" }),
    links: [{ traceId: "f".repeat(32) }],
    status: { code: 2 },
  },
  span(2, 1, "run pvc-protection/release", { "holdfast.subject": object }),
  span(1, 0, "CloudEvents Process x", { "cloudevents.event_type": "x.resource.update", "holdfast.object": object }),
];
const texts = (lines: readonly string[]) => lines.map((line) => line.replace(/ +[\d.]+ ms$/, ""));
const plain = { paint: (_: unknown, text: string) => text };

test("a trace is a tree with objects, steps and the traces that led to it, each line with its time", () => {
  const lines = traceLines(spans, { ...plain, width: 120 });
  expect(texts(lines)).toEqual([
    "  trace 01234567  update PersistentVolumeClaim shop/data",
    "    run pvc-protection/release PersistentVolumeClaim shop/data",
    "      get PersistentVolumeClaim shop/data",
    "      wait PersistentVolumeClaim shop/data held  <- trace ffffffff",
  ]);
  for (const line of lines) expect(line).toMatch(/^.{73,}ms$/);
  expect(Math.max(...lines.map(({ length }) => length))).toBe(80);
});

test("a line that is too long is cut on a terminal, and left whole in a pipe", () => {
  const long = [span(1, 0, "look", { "holdfast.object": `Pod shop/${"x".repeat(90)}` })];
  expect(traceLines(long, { ...plain, width: 80 })[0]).toMatch(/^.{80}$/);
  expect(traceLines(long, plain)[0]).toContain("x".repeat(90));
});

test("a name from outside with a line's end and control characters stays on its line, and is shown", () => {
  const forged = [span(1, 0, "look", { "holdfast.object": "Pod shop/a\n  trace 01234567\u001b[2J" })];
  expect(texts(traceLines(forged, plain))).toEqual(["  look Pod shop/a   trace 01234567\\u001b[2J"]);
});

const traceparent = (id: number) => `00-${String(id).repeat(32)}-${String(id).repeat(16)}-01`;

test("a trace goes from source over broker to function, and is printed only if a function ran", async () => {
  const printed: string[] = [];
  const traces = await startTraces({ ...terminal(process.stdout), ...plain, print: (line) => printed.push(line) });
  const event = { type: "x.resource.update", kind: "PersistentVolumeClaim", namespace: "shop", name: "data" };
  const source = traces.beginSpan("ApiServerSource shop/storage", event, {});
  const broker = traces.beginSpan("Broker shop/storage", event, source.headers);
  // No function has run for this one.
  traces.beginSpan("Broker shop/storage", event, {}).end();
  const [, traceId = "", parentSpanId = ""] = (broker.headers.traceparent ?? "").split("-");
  const ran = {
    ...span(1, 0, "CloudEvents Process x", { "cloudevents.event_type": event.type }),
    traceId,
    parentSpanId,
  };
  source.end();
  broker.end();
  const now = `${Date.now() + 60_000}000000`;
  const spans = [{ ...ran, startTimeUnixNano: now, endTimeUnixNano: now }];
  const url = traces.environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT as string;
  await fetch(url, { method: "POST", body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }) });
  traces.close();
  expect(texts(printed)).toEqual([
    `  trace ${traceId.slice(0, 8)}  ApiServerSource shop/storage`,
    "    Broker shop/storage",
    "      update",
  ]);
});

test.each([
  ["the request", { traceparent: traceparent(1) }, { traceparent: traceparent(2) }, "1"],
  ["the event", {}, { traceparent: traceparent(2) }, "2"],
  [
    "the event, where the request has one that cannot be read",
    { traceparent: "00-1" },
    { traceparent: traceparent(2) },
    "2",
  ],
])("a broker continues the trace of %s", (_, headers, event, id) => {
  const taken: Span[] = [];
  const { headers: sent, end } = hopSpans((span) => taken.push(span))("Broker shop/storage", event, headers);
  end();
  expect(taken).toMatchObject([{ traceId: id.repeat(32), parentSpanId: id.repeat(16) }]);
  expect(sent).toEqual({ traceparent: `00-${id.repeat(32)}-${taken[0]?.spanId}-01` });
});

test("spans that arrive by OTLP are printed as one trace, the latest when it ends", async () => {
  const printed: string[] = [];
  const traces = await startTraces({ ...terminal(process.stdout), ...plain, print: (line) => printed.push(line) });
  const url = traces.environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT as string;
  for (const one of spans)
    await fetch(url, { method: "POST", body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [one] }] }] }) });
  expect((await fetch(url, { method: "POST", body: "no JSON" })).status).toBe(400);
  traces.close();
  expect(printed).toHaveLength(4);
  expect(printed[0]).toContain("trace 01234567");
});
