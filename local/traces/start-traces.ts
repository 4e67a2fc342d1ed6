import { createServer } from "node:http";
import type { Terminal } from "../../shared/terminal/terminal.ts";
import { listen } from "../system-server/listen.ts";
import { type Span, traceLines } from "./trace-lines.ts";

/** A trace is printed when nothing more of it has come for so long, in milliseconds. */
const quiet = 1_000;

/** What takes traces. */
interface Traces {
  /** What functions need to send theirs. */
  readonly environment: Readonly<Record<string, string>>;
  close(): void;
}

/** Takes the traces that functions export, on loopback, and prints each as a tree. */
export async function startTraces(terminal: Terminal): Promise<Traces> {
  const open = new Map<string, { spans: Span[]; timer: NodeJS.Timeout }>();
  const print = (traceId: string) => {
    for (const line of traceLines(open.get(traceId)?.spans ?? [], terminal)) terminal.print(line);
    open.delete(traceId);
  };
  const take = (span: Span) => {
    const { traceId } = span;
    const before = open.get(traceId);
    clearTimeout(before?.timer);
    open.set(traceId, { spans: [...(before?.spans ?? []), span], timer: setTimeout(print, quiet, traceId) });
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
    environment: {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${port}/v1/traces`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "200",
    },
    close() {
      for (const [traceId, { timer }] of open) {
        clearTimeout(timer);
        print(traceId);
      }
      void close();
    },
  };
}
