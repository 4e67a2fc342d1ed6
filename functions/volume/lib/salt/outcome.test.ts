import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JobReturn, outcomeOf } from "./outcome.ts";

const failed = (returned: unknown, retcode = 1): JobReturn => ({ return: returned, retcode, success: false });
const succeeded = (returned: unknown): JobReturn => ({ return: returned, retcode: 0, success: true });

const conflict = "ERROR: another run has been working on volume v1 for 60 s (lock /run/x): try again later";

describe("as they were observed", () => {
  test.each<[string, unknown, number, string]>([
    ["several texts", ["No such function.", "Sync the modules."], 254, "No such function. Sync the modules."],
    ["a function that raised", "ERROR: volume bad not found in pillar", 1, "ERROR: volume bad not found in pillar"],
    ["a function that says it failed", { success: false, result: "device `x` not found" }, 1, "device `x` not found"],
    ["nothing but a code", null, 5, "It failed with code 5."],
    ["an empty text", " \n", 254, "It failed with code 254."],
    ["an empty list", [], 1, "It failed with code 1."],
  ])("%s", (_, returned, retcode, message) => {
    expect(outcomeOf(failed(returned, retcode))).toEqual({ end: "failure", message });
  });

  test("a conflict: another job has been working for the Volume", () => {
    const message = "Another run has been working on volume v1 for 60 s (lock /run/x): try again later.";
    expect(outcomeOf(failed(conflict))).toEqual({ end: "conflict", message });
    expect(outcomeOf(failed(`It says: ${conflict}`))).toMatchObject({ end: "failure" });
    expect(outcomeOf(succeeded(conflict))).toMatchObject({ end: "success" });
  });
});

test("a long text is cut", () => {
  const outcome = outcomeOf(failed(`ERROR: mkfs failed: ${"line\n".repeat(1000)}`));
  expect(outcome).toMatchObject({ end: "failure", message: expect.stringMatching(/^ERROR: mkfs.*…$/s) });
  expect(outcome.end === "failure" && outcome.message.length).toBe(1000);
});

test("a return is success only with code 0, and a failure says why", () => {
  fc.assert(
    fc.property(fc.anything(), fc.integer(), fc.boolean(), (returned, retcode, success) => {
      const outcome = outcomeOf({ return: JSON.parse(JSON.stringify(returned) ?? "null"), retcode, success });
      if (outcome.end === "success") expect([retcode, success]).toEqual([0, true]);
      else expect(outcome.message.length).toBeGreaterThan(0);
    }),
  );
});
