import { type SpanContext, TraceFlags } from "@opentelemetry/api";
import type { PatchType } from "../kubernetes/client.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { longestProgress } from "../progress.ts";

/**
 * A patch that writes progress on an object also writes, as its field `trace`, which span did so: the next function
 * links to it. What has no progress to write gets none, so that this causes no write. A server-side apply repeats what
 * is written already, and is left as it is.
 */
export function withTrace(type: PatchType, patch: unknown, span: SpanContext | undefined): unknown {
  if (!span || (span.traceFlags & TraceFlags.SAMPLED) === 0) return patch;
  const trace = `00-${span.traceId}-${span.spanId}-01`;
  if (type === "json")
    return (patch as readonly Operation[]).map((operation) =>
      operation.op !== "test" && operation.path.startsWith("/metadata/annotations/holdfast.dev~1")
        ? { ...operation, value: traced(operation.value, trace) }
        : operation,
    );
  const { metadata } = patch as { metadata?: { annotations?: object } };
  if (type !== "merge" || !metadata?.annotations) return patch;
  const annotations = Object.entries(metadata.annotations).map(([key, value]) => [key, traced(value, trace)]);
  return { ...(patch as object), metadata: { ...metadata, annotations: Object.fromEntries(annotations) } };
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

/** Progress of any rule is recognised by its fields: settings and notes of rules stay as they are. */
function traced(value: unknown, trace: string): unknown {
  const progress = readObject(value);
  if (!progress || !["uid", "step", "since", "because"].every((field) => field in progress)) return value;
  const text = JSON.stringify({ ...progress, trace });
  return text.length > longestProgress ? value : text;
}

/** The spans that have written the progress on an object. */
export function tracesOn({ metadata }: KubernetesObject): readonly SpanContext[] {
  const texts = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith("holdfast.dev/"));
  return texts.flatMap(([, text]) => {
    const { uid, trace } = readObject(text) ?? {};
    const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(String(trace)) ?? [];
    if (uid !== metadata.uid || !traceId || !spanId) return [];
    return [{ traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true }];
  });
}

function readObject(text: unknown): Record<string, unknown> | undefined {
  if (typeof text !== "string" || !text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
