import { expect, test } from "vitest";
import { steps } from "../../functions/satellite/lib/evacuation.ts";
import { nineSteps, stepNow } from "./steps.ts";

const word = (rule: string, since: string) => ({ rule: `satellite/${rule}`, step: "waiting", since, because: "" });

test("the steps are those of the chain, in its order", () =>
  expect(nineSteps.map(({ name }) => name)).toEqual(steps.map(({ name }) => name)));

test("the step is that of the rule with the latest word", () => {
  expect(stepNow([], undefined)).toBe(0);
  expect(stepNow([word("mark", "2026-01-01"), word("await-empty", "2026-01-02")], "InProgress")).toBe(5);
  expect(stepNow([word("await-empty", "2026-01-02"), word("remove", "2026-01-02")], "InProgress")).toBe(8);
  expect(stepNow([word("create", "2026-01-03")], "Completed")).toBe(6);
});
