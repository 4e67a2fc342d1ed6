import type { VirtualClock } from "./virtual-clock.ts";

/**
 * Lets virtual time pass until a promise has settled, and returns what it resolves to or throws what it rejects with.
 *
 * @throws Error when that takes longer than `ms` of virtual time.
 */
export async function outcomeOf<T>(clock: Pick<VirtualClock, "runUntil">, promise: Promise<T>, ms: number): Promise<T> {
  let isSettled = false;
  const end = () => {
    isSettled = true;
  };
  promise.then(end, end);
  if (!(await clock.runUntil(() => isSettled, ms)))
    throw new Error(`Nothing came of it within ${ms / 1000} s of virtual time.`);
  return promise;
}
