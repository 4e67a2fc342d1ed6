import { describe, expect, test } from "vitest";
import { actsOnName } from "../mutants/acts-on-name.ts";
import { namedFaults } from "./named.ts";
import { runNamed } from "./run-named.ts";

describe("beside plain Kubernetes, on the laptop edition", () => {
  test.for(namedFaults)("$name", async (fault) => {
    const { failures, history } = await runNamed(fault, "repository");
    expect(failures, history.join("\n")).toEqual([]);
  });
});

test("a rule that ties claims without another look at the set fails 5, and only where it is held up", async () => {
  const late = namedFaults.find(({ name }) => name.startsWith("5:"));
  if (!late) throw new Error("There is no fault 5.");
  const { stall: _, ...inTime } = late;
  const [held, prompt] = [await runNamed(late, actsOnName), await runNamed(inTime, actsOnName)];
  // Sixteen of nineteen are tied before the set goes.
  expect(held.verdict.lost, held.history.join("\n")).toHaveLength(3);
  expect(prompt.failures, prompt.history.join("\n")).toEqual([]);
});
