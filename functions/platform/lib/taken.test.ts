import { expect, test } from "vitest";
import { isStillRefused } from "./taken.ts";

const minutes = (count: number) => count * 60_000;
const at = (count: number) => new Date(minutes(count)).toISOString();
const warned = { reason: "KubernetesRefused", reportingInstance: "pvc-protection/protect", eventTime: at(0) };
const key = "20260101T000000-000Z-aaaaaaaa000.json";
/** What `dead-letter` keeps of a function; of an unknown one where the broker names none. */
const kept = (destination?: string) => ({
  [key]: JSON.stringify({
    received: 0,
    attributes: { type: "t", apiversion: "v1", kind: "PersistentVolumeClaim", namespace: "shop", name: "data" },
    destination: destination ? `${destination}.holdfast` : "",
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
  ["a function has not taken an event, and the broker does not say which", false, warned, kept(), [], 30],
  ["the function that the broker does not name took the event later", true, warned, kept(), ["aaaaaaaa"], 30],
  ["what is kept cannot be parsed", false, warned, { [key]: "{" }, [], 30],
  ["what is kept is no event", false, warned, { [key]: '{"received":"never"}' }, [], 30],
  ["a kept event names no object", false, warned, { [key]: '{"received":0}' }, [], 30],
  ["what is kept beside events cannot be parsed", true, warned, { "other.json": "{" }, [], 30],
  ["no event was kept", true, warned, {}, [], 30],
  ["it may still be kept", false, warned, {}, [], 4],
  ["the Warning has no time", false, { ...warned, eventTime: undefined }, {}, [], 30],
  ["the time of the Warning cannot be read", false, { ...warned, eventTime: "then" }, {}, [], 30],
  ["what is kept is not known", false, warned, undefined, [], 30],
  ["it says something else", false, { ...warned, reason: "DeletionPostponed" }, {}, [], 30],
] as const)("a refusal of an hour ago: %s", (_, isOver, event, data, resent, now) => {
  expect(isStillRefused(event as never, data, sweep(resent) as never, minutes(now))).toBe(!isOver);
});
