import { type Result, runInProcess } from "./run.ts";
import type { Operation } from "./sequence/operation.ts";
import type { InProcessOptions } from "./worlds/in-process.ts";

/** A run that fails, and what is left of it when all that it does not need to fail is left out. */
export interface Shrunk {
  readonly result: Result;
  readonly sequence: readonly Operation[];
  readonly runs: number;
}

/**
 * Leaves operations and faults out of a failing run for as long as it still fails, by the loss of a claim if it did:
 * halves of them first, then one by one.
 */
export async function shrink(
  options: InProcessOptions,
  sequence: readonly Operation[],
  failing: Result,
  mostRuns = 120,
): Promise<Shrunk> {
  let shrunk = { result: failing, sequence, without: new Set(options.without) };
  let runs = 0;

  async function attempt(candidate: Pick<typeof shrunk, "sequence" | "without">): Promise<boolean> {
    runs++;
    const result = await runInProcess({ ...options, without: candidate.without }, candidate.sequence);
    if (failing.verdict.lost.length > 0 ? result.verdict.lost.length === 0 : result.failures.length === 0) return false;
    shrunk = { ...candidate, result };
    return true;
  }

  /** Leaves out of a list what is not needed; `leave` is given where a part of it begins, and how long that is. */
  async function reduce(length: () => number, leave: (from: number, count: number) => Promise<boolean>): Promise<void> {
    for (let size = Math.ceil(length() / 2); size > 0 && runs < mostRuns; size = Math.floor(size / 2))
      for (let from = 0; from < length() && runs < mostRuns; ) if (!(await leave(from, size))) from += size;
  }

  const withoutOperations = (from: number, count: number) =>
    attempt({ ...shrunk, sequence: shrunk.sequence.toSpliced(from, count) });
  await reduce(() => shrunk.sequence.length, withoutOperations);
  // What struck after a fault that is left out is another matter: the list is read again each time.
  await reduce(
    () => shrunk.result.struck.length,
    (from, count) =>
      attempt({ ...shrunk, without: new Set([...shrunk.without, ...shrunk.result.struck.slice(from, from + count)]) }),
  );
  return { result: shrunk.result, sequence: shrunk.sequence, runs };
}
