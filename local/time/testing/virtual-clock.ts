import { type CallOff, sleepBy } from "../../../shared/clock.ts";

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that stands still until a test moves it, for in-process worlds without sockets. */
export type VirtualClock = ReturnType<typeof virtualClock>;

/**
 * A virtual clock that starts at `start` (milliseconds since the epoch). Deterministic as long as nothing does real
 * I/O.
 */
export function virtualClock(start = Date.parse("2026-01-01T00:00:00Z")) {
  let now = start;
  /** In the order in which they were set: of two at the same time, the first goes first. */
  const timers = new Set<Timer>();

  // Node says nowhere that nothing is ready to run. One pass of the event loop runs every promise chain to its end,
  // however long; streams go on in the next, and what reads them in the one after that. No other code counts passes.
  const settle = async (): Promise<void> => {
    for (let pass = 0; pass < 3; pass++) await new Promise((resolve) => setImmediate(resolve));
  };

  function earliest(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers) if (!first || timer.at < first.at) first = timer;
    return first;
  }

  async function runNext(until: number): Promise<boolean> {
    const next = earliest();
    if (!next || next.at > until) return false;
    timers.delete(next);
    now = Math.max(now, next.at);
    next.run();
    await settle();
    return true;
  }

  function after(ms: number, run: () => void): CallOff {
    const timer = { at: now + Math.max(0, ms), run };
    timers.add(timer);
    return () => timers.delete(timer);
  }

  return {
    now: () => now,
    after,
    sleep: sleepBy(after),
    /** Lets everything that is ready to run do so, without moving time. */
    settle,
    /**
     * Moves time forward by `ms`, running every timer in order and letting all it started come to rest before the next.
     */
    async advance(ms: number) {
      const until = now + ms;
      await settle();
      while (await runNext(until));
      now = until;
    },
    /**
     * Advances from timer to timer until `done()` is true and returns whether it came true within `ms` of virtual
     * time. `done` is asked whenever the world is at rest.
     */
    async runUntil(done: () => boolean | Promise<boolean>, ms: number): Promise<boolean> {
      const until = now + ms;
      await settle();
      while (!(await done())) {
        if (!(await runNext(until))) {
          now = until;
          return done();
        }
      }
      return true;
    },
  };
}
