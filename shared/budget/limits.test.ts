import { expect, test } from "vitest";
import { isAgreed, type Limits, mayBegin } from "./limits.ts";

const limits: Limits = { approval: "none", maxUnavailable: "1", window: "", windowLength: "4h", timeZone: "UTC" };
const me = { uid: "u1", name: "node-a", group: "zone-a", isOut: false, isLeaving: true };
const out = { ...me, uid: "u2", name: "node-b", isOut: true, isLeaving: false };
const now = Date.parse("2026-01-01T12:00:00Z");
const begin = (members: (typeof me)[], more: Partial<Limits> = {}) =>
  mayBegin(me, members, [], { ...limits, ...more }, { setting: "WINDOW", noun: "nodes" }, now);

test.each([
  ["a person has to agree, and has said nothing", "annotation", "1", undefined, false],
  ["a person has to agree, and does", "annotation", "1", "true", true],
  ["a person has to agree, and says something else", "annotation", "1", "yes", false],
  ["no one has to agree", "none", "1", undefined, true],
  ["no one has to agree, and a person holds it", "none", "1", "false", false],
  ["the budget is 0", "none", "0", undefined, false],
  ["the budget is 0, and a person agrees", "none", "0", "true", true],
] as const)("whether it is agreed where %s", (_, approval, maxUnavailable, said, expected) => {
  expect(isAgreed(said, { ...limits, approval, maxUnavailable })).toBe(expected);
});

test("it begins in a window, where fewer are out than may be, and else says what it waits for", () => {
  expect(begin([me])).toEqual({ granted: ["u1"] });
  expect(begin([me, out])).toEqual({
    message: "It waits. Of the 2 nodes of the group zone-a, at most 1 may be out at the same time. Out now: node-b.",
  });
  const opens = Date.parse("2026-01-01T22:00:00Z");
  const message = "It begins when a maintenance window opens: 2026-01-01T22:00:00.000Z.";
  expect(begin([me, out], { window: "0 22 * * *" })).toEqual({ message, next: opens });
});
