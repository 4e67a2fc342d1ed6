import { describe, expect, test } from "vitest";
import { reportOf } from "./report/report.ts";
import { runInProcess } from "./run.ts";
import { drawSequence } from "./sequence/draw.ts";
import { shrink } from "./shrink.ts";
import type { InProcessOptions } from "./worlds/in-process.ts";

/** Sequences that are played every time, a few at a time so that a failure is near its cause. */
const batches = [1, 9, 17, 25, 33];
const size = 8;

async function holds(options: InProcessOptions): Promise<void> {
  const sequence = drawSequence(options.seed);
  const result = await runInProcess(options, sequence);
  if (result.failures.length === 0) return;
  const world = options.admissionPolicy ? "policy" : "no-policy";
  const command = `npm run differential -- --seed ${options.seed} --world ${world}${options.faults ? "" : " --no-faults"}`;
  expect.fail(reportOf(command, await shrink(options, sequence, result, 40)));
}

describe("no claim is lost that plain Kubernetes keeps", { timeout: 120_000 }, () => {
  for (const admissionPolicy of [false, true])
    test.for(batches)(
      `from sequence %i on, under faults, ${admissionPolicy ? "with" : "without"} the admission policy`,
      async (from) => {
        for (let seed = from; seed < from + size; seed++)
          await holds({ seed, admissionPolicy, faults: seed % 4 !== 0, functions: "repository" });
      },
    );
});
