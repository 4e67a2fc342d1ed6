import { describe, expect, test } from "vitest";
import { mutants } from "./mutants/mutants.ts";
import { type Result, runInProcess } from "./run.ts";
import { drawSequence } from "./sequence/draw.ts";
import type { Functions } from "./worlds/setting.ts";

const within = 50;

/**
 * The first sequence in which these functions lose a claim, each played without faults; `undefined` when there is none.
 */
async function firstLoss(functions: Functions, most: number): Promise<Result | undefined> {
  for (let seed = 1; seed <= most; seed++) {
    const options = { seed, admissionPolicy: false, faults: false, functions };
    const result = await runInProcess(options, drawSequence(seed));
    if (result.verdict.lost.length > 0) return result;
  }
  return undefined;
}

describe("a rule with a fault", () => {
  test.for(mutants)(`$name is found within ${within} sequences`, async (mutant) => {
    expect(await firstLoss(mutant, within), `Not found: ${mutant.doc}`).toBeDefined();
  });
});

test("plain Kubernetes beside plain Kubernetes loses nothing, and deletes something", async () => {
  let gone = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const options = { seed, admissionPolicy: false, faults: false, functions: "none" } as const;
    const { failures, verdict, history } = await runInProcess(options, drawSequence(seed));
    expect(failures, history.join("\n")).toEqual([]);
    gone += verdict.gone;
  }
  expect(gone).toBeGreaterThan(0);
});
