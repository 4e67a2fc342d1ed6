import { systemClock } from "../../shared/clock.ts";

/** Milliseconds of real time. */
export interface PollOptions {
  readonly within: number;
  /** Between two questions; 100 by default. */
  readonly every?: number;
}

/**
 * Asks again and again on real time until `check` returns something other than `false` and `undefined`, and returns
 * that: for what no test can await, because it happens in another process.
 *
 * @throws Error naming `what` when that takes too long.
 */
export async function poll<T>(
  what: string,
  check: () => T | Promise<T>,
  { within, every = 100 }: PollOptions,
): Promise<Exclude<T, false | undefined>> {
  const deadline = performance.now() + within;
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value as Exclude<T, false | undefined>;
    if (performance.now() > deadline) throw new Error(`Not within ${within} ms: ${what}.`);
    await systemClock.sleep(every);
  }
}
