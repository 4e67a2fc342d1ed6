import { expect, test } from "vitest";
import { isStillRefused } from "./taken.ts";

const minutes = (count: number) => count * 60_000;
const at = (count: number) => new Date(minutes(count)).toISOString();
const warned = { reason: "KubernetesRefused", reportingInstance: "pvc-protection/protect", eventTime: at(0) };
/** What `dead-letter` keeps of a function. */
const kept = (destination: string) => ({
  "20260101T000000-000Z-aaaaaaaa000.json": JSON.stringify({
    received: 0,
    attributes: { type: "t", apiversion: "v1", kind: "PersistentVolumeClaim", namespace: "shop", name: "data" },
    destination: `${destination}.holdfast`,
    code: "403",
  }),
});
const sweep = (resent: readonly string[]) => ({
  v: 1,
  uid: "",
  at: "",
  because: "",
  resent: [...resent],
  resentAt: at(20),
});

test.each([
  ["its function took the event later", true, warned, kept("pvc-protection-protect"), ["aaaaaaaa"], 30],
  ["its function has not taken the event", false, warned, kept("pvc-protection-protect"), [], 30],
  ["another function has not taken an event", true, warned, kept("pvc-protection-release"), [], 30],
  ["no event was kept", true, warned, {}, [], 30],
  ["it may still be kept", false, warned, {}, [], 4],
  ["what is kept is not known", false, warned, undefined, [], 30],
  ["it says something else", false, { ...warned, reason: "DeletionPostponed" }, {}, [], 30],
] as const)("a refusal of an hour ago: %s", (_, isOver, event, data, resent, now) => {
  expect(isStillRefused(event as never, data, sweep(resent) as never, minutes(now))).toBe(!isOver);
});
