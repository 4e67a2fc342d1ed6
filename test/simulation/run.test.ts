import { describe, expect, test } from "vitest";
import { pvcProtection } from "./pvc-protection/system.ts";
import { shrink } from "./shrink.ts";
import { simulate } from "./simulate.ts";
import { mutants, scenarioNamed } from "./systems.ts";
import { patience } from "./testing/patience.ts";

test("there are at least fifteen mutants that the simulation has to find", () =>
  expect(mutants.length).toBeGreaterThanOrEqual(15));

describe("a run", patience, () => {
  test("is the same, byte by byte, when it is run again", async () => {
    const spec = { scenario: scenarioNamed("many-claims"), number: 7, faults: true };
    const first = await simulate(spec);
    const second = await simulate(spec);
    expect(first.struck.length).toBeGreaterThan(0);
    expect(second.trace.join("\n")).toBe(first.trace.join("\n"));
  });

  test("is another one under another number", async () => {
    const scenario = scenarioNamed("many-claims");
    const [one, other] = await Promise.all([7, 8].map((number) => simulate({ scenario, number, faults: false })));
    expect(one?.trace.join("\n")).not.toBe(other?.trace.join("\n"));
  });

  test("that fails shows its trace, and a shorter one that fails alike", async () => {
    const careless = pvcProtection.mutants.find(({ name }) => name === "ours-before-in-tree");
    if (!careless) throw new Error("There is no such mutant.");
    const scenario = scenarioNamed("deleted-while-used");
    const starters = { [careless.rule]: careless.start };
    for (let number = 1; ; number++) {
      const spec = { scenario, number, faults: true, starters };
      const failing = await simulate(spec);
      if (failing.failure?.name !== "after-in-tree" || failing.struck.length === 0) continue;
      expect(failing.trace.at(-1)).toContain("after-in-tree: Claim data lost holdfast.dev/pvc-protection");
      const { result, without } = await shrink(spec, failing);
      expect(result.failure?.name).toBe("after-in-tree");
      expect(result.struck.length).toBeLessThan(failing.struck.length);
      expect(without.size).toBeGreaterThan(0);
      return;
    }
  });
});
