import { TraceFlags } from "@opentelemetry/api";
import { expect, test } from "vitest";
import type { PatchType } from "../kubernetes/client.ts";
import { longestProgress } from "../progress.ts";
import { tracesOn, withTrace } from "./trace-in-progress.ts";

const span = { traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: TraceFlags.SAMPLED };
const progress = { v: 1, uid: "u", step: "held", since: "2030-01-01T00:00:00Z", because: "It waits." };
const key = "holdfast.dev/a.b";
const merge = (text: string | null, name = key) => ({ metadata: { uid: "u", annotations: { [name]: text } } });
const json = (text: string, op = "add") => [{ op, path: "/metadata/annotations/holdfast.dev~1a.b", value: text }];
const text = JSON.stringify(progress);
const traced = JSON.stringify({ ...progress, trace: `00-${span.traceId}-${span.spanId}-01` });

test.each<[string, PatchType, unknown, unknown]>([
  ["a merge patch", "merge", merge(text), merge(traced)],
  ["a JSON patch", "json", json(text), json(traced)],
])("%s of progress has the trace that writes it, and the next reader finds it", (_, type, patch, expected) => {
  expect(withTrace(type, patch, span)).toEqual(expected);
  const metadata = { name: "data", uid: "u", resourceVersion: "1", annotations: { [key]: traced } };
  expect(tracesOn({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata })).toMatchObject([span]);
});

test.each<[string, PatchType, unknown, number]>([
  ["nothing", "merge", { metadata: { uid: "u" } }, 1],
  ["what removes progress", "merge", merge(null), 1],
  ["a note that is no progress", "merge", merge('{"v":1,"uid":"u"}'), 1],
  ["progress that has no room left", "merge", merge(text.replace("It waits.", "x".repeat(longestProgress - 100))), 1],
  ["a test of what is there", "json", json(text, "test"), 1],
  ["a server-side apply, which repeats what is there", "apply", merge(text), 1],
  ["progress in a trace that is not sampled", "merge", merge(text), 0],
])("%s is patched as it is", (_, type, patch, traceFlags) => {
  expect(withTrace(type, patch, { ...span, traceFlags })).toEqual(patch);
});
