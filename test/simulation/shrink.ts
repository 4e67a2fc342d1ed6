import { type RunResult, type RunSpec, simulate } from "./simulate.ts";

/** A failing run, and the shortest one that was found to fail in the same way. */
export interface Shrunk {
  readonly result: RunResult;
  /** The faults that are left out. */
  readonly without: ReadonlySet<string>;
  readonly runs: number;
}

/**
 * Leaves faults out of a failing run for as long as it still fails by the same name: halves of them first, then one by
 * one.
 */
export async function shrink(spec: RunSpec, failing: RunResult, mostRuns = 200): Promise<Shrunk> {
  let result = failing;
  let without: ReadonlySet<string> = new Set(spec.without);
  let runs = 0;

  async function tryWithout(names: readonly string[]): Promise<boolean> {
    runs++;
    const candidate = new Set([...without, ...names]);
    const next = await simulate({ ...spec, without: candidate });
    if (next.failure?.name !== failing.failure?.name) return false;
    result = next;
    without = candidate;
    return true;
  }

  for (let size = Math.ceil(failing.struck.length / 2); size > 0 && runs < mostRuns; size = Math.floor(size / 2)) {
    let from = 0;
    while (from < result.struck.length && runs < mostRuns) {
      // What struck after a fault that is left out is another matter: the list is read again each time.
      if (!(await tryWithout(result.struck.slice(from, from + size)))) from += size;
    }
  }
  return { result, without, runs };
}
