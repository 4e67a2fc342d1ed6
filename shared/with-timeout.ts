import type { Clock } from "./clock.ts";

/**
 * Waits for a step, but at most `ms` milliseconds; then rejects with what `late` answers. The step itself goes on,
 * unless `late` sees to it.
 */
export function withTimeout<T>(clock: Clock, ms: number, step: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const callOff = clock.after(ms, () => reject(late()));
    const settle =
      <R>(how: (result: R) => void) =>
      (result: R) => {
        callOff();
        how(result);
      };
    step.then(settle(resolve), settle(reject));
  });
}
