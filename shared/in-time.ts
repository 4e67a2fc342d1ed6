import type { Clock } from "./clock.ts";

/** Calls a timer off. A reason of its own, because the one that the platform makes holds a stack, which costs more than all the rest. */
const over = new Error("The step is over.");

/**
 * Waits for a step, but at most `ms` milliseconds; then rejects with what `late` answers. The step itself goes on, unless `late`
 * sees to it.
 */
export async function inTime<T>(clock: Clock, ms: number, step: Promise<T>, late: () => Error): Promise<T> {
  const done = new AbortController();
  const tooLate = clock.sleep(ms, done.signal).then(() => {
    throw late();
  });
  tooLate.catch(() => {});
  try {
    return await Promise.race([step, tooLate]);
  } finally {
    done.abort(over);
  }
}
