import type { Terminal } from "../../shared/terminal/terminal.ts";
import { visible } from "../../shared/terminal/visible.ts";
import { spanTree } from "./span-tree.ts";

/** As much of a span in OTLP's JSON as is shown. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind?: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
  readonly links?: readonly { readonly traceId: string }[];
  readonly status: { readonly code?: number };
}

const widest = 80;
const failure = 2;
/** The kind of a span that sends on what another one takes. */
export const producer = 4;

/** A trace as a tree for people: what was done, for how long, in red where it failed, and which traces led to it. */
export function traceLines(spans: readonly Span[], { width, paint }: Pick<Terminal, "paint" | "width">): string[] {
  const columns = Math.min(width ?? Number.POSITIVE_INFINITY, widest);
  return spanTree(spans).map(({ span, depth }) => {
    const took = Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6;
    const time = `${took.toFixed(took < 10 ? 1 : 0)} ms`;
    const room = columns - time.length - 2;
    const whole = `  ${"  ".repeat(depth)}${visible(textOf(span, depth)).replaceAll("\n", " ")}`;
    // A pipe takes lines as long as they are.
    const text = width && whole.length > room ? `${whole.slice(0, room - 1)}…` : whole;
    const shown = span.status.code === failure ? paint("red", text) : depth === 0 ? paint("bold", text) : text;
    const gap = Math.max(2, columns - text.length - time.length);
    return `${shown}${" ".repeat(gap)}${paint("dim", time)}`;
  });
}

/** What was done to which object. Names of spans have no objects in them. */
function textOf({ name, kind, traceId, attributes, links = [] }: Span, depth: number): string {
  const of = (key: string) => attributes.find((one) => one.key === key)?.value.stringValue;
  const object = of("holdfast.object");
  const type = of("cloudevents.event_type");
  const others = [...new Set(links.map((link) => link.traceId))].filter((one) => one !== traceId);
  const begins = depth === 0 && (type || kind === producer) ? `trace ${short(traceId)}  ` : "";
  const what = type
    ? `${type.split(".").at(-1)}${object ? ` ${object}` : ""}`
    : object && name.includes(" ")
      ? `${name.split(" ")[0]} ${object}`
      : [name, of("holdfast.subject") ?? object, of("holdfast.step")].filter(Boolean).join(" ");
  return `${begins}${what}${others.length > 0 ? `  <- trace ${others.map(short).join(", ")}` : ""}`;
}

/** Enough of an id to find the trace by. */
const short = (traceId: string) => traceId.slice(0, 8);
