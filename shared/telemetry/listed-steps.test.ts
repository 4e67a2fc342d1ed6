import type { Attributes } from "@opentelemetry/api";
import { expect, onTestFinished, test, vi } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { listedSteps } from "./listed-steps.ts";

const creationTimestamp = "2026-01-01T00:00:00Z";

function recorder() {
  vi.useFakeTimers({ now: Date.parse("2026-01-01T01:00:00Z") });
  onTestFinished(() => void vi.useRealTimers());
  const recorded = new Map<string, number[]>();
  const record = (value: number, attributes: Attributes) => {
    const name = Object.values(attributes).join(" ");
    recorded.set(name, [...(recorded.get(name) ?? []), value]);
  };
  const due = new Map<string, number>();
  const stepDue = (value: number, attributes: Attributes) => void due.set(Object.values(attributes).join(" "), value);
  const { see, report } = listedSteps({ stepOldest: record, stepObjects: record, stepDue });
  return {
    see,
    due,
    /** The age in seconds and the count of each step. */
    report: () => {
      recorded.clear();
      report();
      return Object.fromEntries(recorded);
    },
  };
}

const way = (uid: string, conditions?: readonly object[]) =>
  ({ metadata: { name: uid, uid, creationTimestamp }, status: { conditions } }) as unknown as KubernetesObject;

test("sources and brokers that are not Ready are counted, with the time of the longest, until they are", () => {
  const { see, report } = recorder();
  const not = (status: string) => ({ type: "Ready", status, lastTransitionTime: "2026-01-01T00:50:00Z" });
  see({ kind: "ApiServerSource" }, way("a", [not("False")]));
  see({ kind: "ApiServerSource" }, way("b", [not("Unknown")]));
  see({ kind: "ApiServerSource" }, way("c", [not("True")]));
  see({ kind: "Broker" }, way("d"));
  see({ kind: "Subscription" }, way("e", [not("False")]));
  expect(report()).toEqual({
    "platform/sweep ApiServerSourceNotReady": [600, 2],
    "platform/sweep BrokerNotReady": [3_600, 1],
  });
  see({ kind: "Broker" }, way("d", [not("True")]));
  expect(report()).toEqual({
    "platform/sweep ApiServerSourceNotReady": [0, 0],
    "platform/sweep BrokerNotReady": [0, 0],
  });
});

test("an object that is listed twice in a tick is counted once", () => {
  const { see, report } = recorder();
  const progress = (uid: string) =>
    JSON.stringify({ v: 1, uid, step: "kept", since: "2026-01-01T00:30:00Z", because: "-" });
  const volume = (uid: string) =>
    ({
      metadata: { name: uid, uid, annotations: { "holdfast.dev/undelete.note": progress(uid) } },
    }) as unknown as KubernetesObject;
  for (const uid of ["a", "b", "a"]) see({ kind: "PersistentVolume" }, volume(uid));
  expect(report()).toEqual({ "undelete/note kept": [1_800, 2] });
});

test("the due time of a step is the earliest of its objects, and 0 when none has one or none is left", () => {
  const { see, report, due } = recorder();
  const volume = (uid: string, step: string, next?: string) => {
    const progress = { v: 1, uid, step, since: "2026-01-01T00:30:00Z", because: "-", ...(next ? { next } : {}) };
    const annotations = { "holdfast.dev/undelete.note": JSON.stringify(progress) };
    return { metadata: { name: uid, uid, annotations } } as unknown as KubernetesObject;
  };
  const kind = { kind: "PersistentVolume" };
  see(kind, volume("a", "kept", "2026-01-02T00:00:00Z"));
  see(kind, volume("b", "kept", "2026-01-01T02:00:00Z"));
  see(kind, volume("c", "kept"));
  see(kind, volume("d", "retained"));
  report();
  const first = Date.parse("2026-01-01T02:00:00Z") / 1000;
  expect(Object.fromEntries(due)).toEqual({ "undelete/note kept": first, "undelete/note retained": 0 });
  report();
  expect(due.get("undelete/note kept")).toBe(0);
});
