import { expect, test } from "vitest";
import { type Condition, setCondition } from "./condition.ts";

const now = Date.parse("2026-03-01T12:00:00.250Z");
const earlier = "2026-02-01T00:00:00Z";
const ready: Condition = {
  type: "Ready",
  status: "True",
  reason: "Done",
  message: "It is.",
  lastTransitionTime: earlier,
};
const other: Condition = { ...ready, type: "Other" };

test("a condition that is not there is added, with the time", () => {
  const { lastTransitionTime: _, ...wanted } = ready;
  expect(setCondition([other], wanted, now)).toEqual([
    other,
    { ...wanted, lastTransitionTime: "2026-03-01T12:00:00Z" },
  ]);
});

test("one that says the same is left as it is, to the very list", () => {
  const conditions = [other, ready];
  expect(setCondition(conditions, { ...ready }, now)).toBe(conditions);
});

test("the time of the transition moves with the status, and with nothing else", () => {
  const [said] = setCondition([ready], { ...ready, message: "It still is." }, now);
  expect(said).toEqual({ ...ready, message: "It still is." });
  const [turned] = setCondition([ready], { ...ready, status: "False", reason: "Broken" }, now);
  expect(turned).toMatchObject({ status: "False", reason: "Broken", lastTransitionTime: "2026-03-01T12:00:00Z" });
});

test("fields of the condition that are not ours, and other conditions, stay", () => {
  const generation = { ...ready, observedGeneration: 3 };
  const [first, second] = setCondition([other, generation], { ...ready, message: "Else." }, now);
  expect(first).toBe(other);
  expect(second).toMatchObject({ observedGeneration: 3, message: "Else." });
});
