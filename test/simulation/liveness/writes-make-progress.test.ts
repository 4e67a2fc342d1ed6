import { expect, test } from "vitest";
import { find } from "../mutants/find.ts";
import { patience } from "../testing/patience.ts";
import { volume } from "../volume/system.ts";

test("writes that undo each other are found, and named so", patience, async () => {
  const mutant = volume.mutants.find(({ name }) => name === "phase-by-turns");
  if (!mutant) throw new Error("There is no such mutant.");
  const found = await find(mutant);
  expect(found?.failure.name).toBe("writes-make-progress");
  expect(found?.failure.message).toContain("was written into the same state 9 times within a minute");
});
