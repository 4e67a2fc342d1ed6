import { describe, expect, it } from "vitest";
import { type Condition, withConditions } from "./condition.ts";

describe("withConditions", () => {
  const before: Condition[] = [
    { type: "Ready", status: "True", reason: "Fine", lastTransitionTime: "then" },
    { type: "Other", status: "False", lastTransitionTime: "then" },
  ];
  it("answers the same list when nothing changes", () =>
    expect(withConditions(before, [{ type: "Ready", status: "True", reason: "Fine" }], "now")).toBe(before));
  it("moves the time of transition only with the status", () => {
    expect(withConditions(before, [{ type: "Ready", status: "True", reason: "Better" }], "now")).toEqual([
      { type: "Ready", status: "True", reason: "Better", lastTransitionTime: "then" },
      before[1],
    ]);
    expect(withConditions(before, [{ type: "Ready", status: "False" }], "now")[0]).toEqual({
      type: "Ready",
      status: "False",
      lastTransitionTime: "now",
    });
  });
  it("adds what is missing", () => {
    expect(withConditions(undefined, [{ type: "New", status: "Unknown" }], "now")).toEqual([
      { type: "New", status: "Unknown", lastTransitionTime: "now" },
    ]);
  });
});
