import { describe, expect, test } from "vitest";
import { reportOf } from "./report/report.ts";
import { runInProcess } from "./run.ts";
import { drawSequence } from "./sequence/draw.ts";
import { shrink } from "./shrink.ts";
import type { InProcessOptions } from "./worlds/in-process.ts";

/** Sequences that are played every time, a few at a time so that a failure is near its cause. */
const batches = [1, 9, 17, 25, 33];
const size = 8;

/** Returns how many volumes have outlived a claim. */
async function holds(options: InProcessOptions): Promise<number> {
  const sequence = drawSequence(options.seed);
  const result = await runInProcess(options, sequence);
  if (result.failures.length === 0) return result.outlived;
  const world = options.admissionPolicy ? "policy" : "no-policy";
  const flags = `${options.keepsVolumes ? " --undelete" : ""}${options.faults ? "" : " --no-faults"}`;
  const command = `npm run differential -- --seed ${options.seed} --world ${world}${flags}`;
  return expect.fail(reportOf(command, await shrink(options, sequence, result, 40)));
}

describe("no claim is lost that plain Kubernetes keeps", () => {
  for (const admissionPolicy of [false, true])
    test.for(batches)(
      `from sequence %i on, under faults, ${admissionPolicy ? "with" : "without"} the admission policy`,
      async (from) => {
        for (let seed = from; seed < from + size; seed++)
          await holds({ seed, admissionPolicy, faults: seed % 4 !== 0, functions: "repository" });
      },
    );
});

describe("no volume that is to be kept is lost, and no claim either, with undelete", () => {
  test("from sequence 1 on, under faults", async () => {
    let outlived = 0;
    for (let seed = 1; seed <= 16; seed++) {
      const faults = seed % 3 !== 0;
      outlived += await holds({ seed, admissionPolicy: false, faults, functions: "repository", keepsVolumes: true });
    }
    expect(outlived).toBeGreaterThan(0);
  });

  test("which is noticed where no function keeps them", async () => {
    const lost: string[] = [];
    for (let seed = 1; seed <= 8 && lost.length === 0; seed++) {
      const options = { seed, admissionPolicy: false, faults: false, functions: "none", keepsVolumes: true } as const;
      lost.push(...(await runInProcess(options, drawSequence(seed))).failures);
    }
    expect(lost).toContainEqual(expect.stringMatching(/^Volume .* was to be kept, and is lost\.$/));
  });
});
