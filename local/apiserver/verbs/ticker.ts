import type { Clock } from "../../../shared/clock.ts";

/** Calls whoever is interested again and again, and sleeps for good while nobody is. */
export interface Ticker {
  /** Returns how to stop being called. */
  add(tick: () => void): () => void;
}

/** A ticker of one period for all, in milliseconds. */
export function createTicker(clock: Clock, period: number): Ticker {
  const ticks = new Set<() => void>();
  let stopped = new AbortController();

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(period, signal);
      for (const tick of [...ticks]) tick();
    }
  }

  return {
    add(tick) {
      ticks.add(tick);
      if (ticks.size === 1) {
        stopped = new AbortController();
        run(stopped.signal).catch(() => {});
      }
      return () => {
        ticks.delete(tick);
        if (ticks.size === 0) stopped.abort();
      };
    },
  };
}
