import { expect, test } from "vitest";
import { terminal } from "../../shared/terminal/terminal.ts";
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
