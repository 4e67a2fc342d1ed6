import { createServer } from "node:http";
import type { Terminal } from "../../shared/terminal/terminal.ts";
import { listen } from "../system-server/listen.ts";
import { hopSpans } from "./hop-spans.ts";
import { producer, type Span, traceLines } from "./trace-lines.ts";

/** A trace is printed when nothing more of it has come for so long, in milliseconds. */
const quiet = 1_000;

/** Most events lead to no run. A source and a broker wait so long, in milliseconds, for the function that has one. */
const patience = 60_000;

/** Takes the traces that functions export, on loopback, and prints each as a tree, from its source on. */
export async function startTraces(terminal: Terminal) {
  const open = new Map<string, { spans: Span[]; timer: NodeJS.Timeout }>();
  const print = (traceId: string) => {
    const spans = open.get(traceId)?.spans ?? [];
    if (spans.some(isOfFunction)) for (const line of traceLines(spans, terminal)) terminal.print(line);
    open.delete(traceId);
  };
  const take = (span: Span) => {
    const { traceId } = span;
    const before = open.get(traceId);
    clearTimeout(before?.timer);
    const spans = [...(before?.spans ?? []), span];
    open.set(traceId, { spans, timer: setTimeout(print, spans.some(isOfFunction) ? quiet : patience, traceId) });
  };
  const server = createServer(async (request, response) => {
    try {
      const { resourceSpans = [] } = JSON.parse((await request.setEncoding("utf8").toArray()).join(""));
      for (const { scopeSpans } of resourceSpans)
        for (const { spans } of scopeSpans) for (const span of spans as Span[]) take(span);
      response.setHeader("content-type", "application/json").end("{}");
    } catch {
      response.writeHead(400).end();
    }
  });
  const { port, close } = await listen(server);
  return {
    /** What functions need to send theirs. */
    environment: {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${port}/v1/traces`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "200",
    },
    /** For sources and brokers, whose spans are printed with those of the functions that run. */
    beginSpan: hopSpans(take),
    close() {
      for (const [traceId, { timer }] of open) {
        clearTimeout(timer);
        print(traceId);
      }
      void close();
    },
  };
}

const isOfFunction = ({ kind }: Span) => kind !== producer;
