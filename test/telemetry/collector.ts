import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { spanTree } from "../../local/traces/span-tree.ts";

/** As much of a span in OTLP's JSON as is looked at. */
export interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly message?: string };
}

/** As much of a metric. */
export interface ExportedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: "sum" | "histogram" | "gauge";
  readonly dataPoints: readonly {
    readonly keys: readonly string[];
    readonly attributes: readonly (string | number)[];
    readonly count: number;
  }[];
}

/** A collector for OTLP over HTTP, as JSON. */
export interface Collector {
  readonly url: string;
  /** Headers, and names of services, of what has arrived. */
  readonly from: readonly { readonly headers: NodeJS.Dict<string | string[]>; readonly service: string }[];
  readonly spans: readonly ExportedSpan[];
  readonly metrics: readonly ExportedMetric[];
  stop(): void;
}

type Values = readonly { readonly key: string; readonly value: Readonly<Record<string, string | number>> }[];
type Points = readonly { attributes: Values; count?: number; asDouble?: number }[];

const flat = (attributes: Values) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as string | number]));

/** Starts one; `answers`: whether it ever answers what it takes. */
export async function startCollector({ answers = true } = {}): Promise<Collector> {
  const spans: ExportedSpan[] = [];
  const metrics: ExportedMetric[] = [];
  const from: { headers: NodeJS.Dict<string | string[]>; service: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await request.setEncoding("utf8").toArray()).join(""));
    for (const { resource, scopeSpans, scopeMetrics } of body.resourceSpans ?? body.resourceMetrics) {
      from.push({ headers: request.headers, service: String(flat(resource.attributes)["service.name"]) });
      for (const scope of scopeSpans ?? []) spans.push(...scope.spans);
      for (const scope of scopeMetrics ?? [])
        for (const { name, unit, sum, histogram, gauge } of scope.metrics) {
          const points = (sum ?? histogram ?? gauge).dataPoints as Points;
          const dataPoints = points.map(({ attributes, count, asDouble }) => ({
            keys: attributes.map(({ key }) => key),
            attributes: Object.values(flat(attributes)),
            count: Number(count ?? asDouble),
          }));
          metrics.push({ name, unit, kind: sum ? "sum" : histogram ? "histogram" : "gauge", dataPoints });
        }
    }
    if (answers) response.setHeader("content-type", "application/json").end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    from,
    spans,
    metrics,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A trace as lines: the names of spans in the order in which they began, each indented below its parent. */
export function treeOf(spans: readonly ExportedSpan[], traceId: string): readonly string[] {
  const own = spans.filter((span) => span.traceId === traceId);
  return spanTree(own).map(({ span, depth }) => "  ".repeat(depth) + span.name);
}

/** Metrics as lines, each with the values of its attributes and a sum or count; those of all processes together. */
export function linesOf(metrics: readonly ExportedMetric[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const { name, dataPoints } of metrics)
    for (const { attributes, count } of dataPoints) {
      const key = [name, ...attributes].join(" ");
      sums.set(key, (sums.get(key) ?? 0) + count);
    }
  return [...sums].map(([key, sum]) => `${key}: ${sum}`).sort();
}
