import type { Clock } from "../../shared/clock.ts";

interface Sleeper {
  at: number;
  order: number;
  wake(): void;
}

/** A clock that stands still until told to move, for in-process worlds without sockets. */
export interface VirtualClock extends Clock {
  /** Moves time forward by `ms`, waking every sleeper in order and letting all it started come to rest before the next. */
  advance(ms: number): Promise<void>;
  /**
   * Advances from sleeper to sleeper until `done()` is true and answers whether it came true within `ms` of virtual
   * time. `done` is asked whenever the world is at rest.
   */
  runUntil(done: () => boolean | Promise<boolean>, ms: number): Promise<boolean>;
  /** Lets everything that is ready to run do so, without moving time. */
  settle(): Promise<void>;
}

/** A virtual clock that starts at `start` (milliseconds since the epoch). Deterministic as long as nothing does real I/O. */
export function virtualClock(start = Date.parse("2026-01-01T00:00:00Z")): VirtualClock {
  let now = start;
  let order = 0;
  let sleepers: Sleeper[] = [];

  // Promise chains of an in-process world come to rest within one turn of the event loop; streams need a few.
  const settle = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  };

  const earliest = () =>
    sleepers.reduce<Sleeper | undefined>(
      (first, next) =>
        !first || next.at < first.at || (next.at === first.at && next.order < first.order) ? next : first,
      undefined,
    );

  async function wakeNext(until: number): Promise<boolean> {
    const next = earliest();
    if (!next || next.at > until) return false;
    sleepers = sleepers.filter((sleeper) => sleeper !== next);
    now = Math.max(now, next.at);
    next.wake();
    await settle();
    return true;
  }

  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const sleeper: Sleeper = { at: now + Math.max(0, ms), order: order++, wake };
        const stop = () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal?.reason);
        };
        function wake() {
          signal?.removeEventListener("abort", stop);
          resolve();
        }
        signal?.addEventListener("abort", stop, { once: true });
        sleepers.push(sleeper);
      }),
    settle,
    async advance(ms) {
      const until = now + ms;
      await settle();
      while (await wakeNext(until));
      now = until;
    },
    async runUntil(done, ms) {
      const until = now + ms;
      await settle();
      while (!(await done())) {
        if (!(await wakeNext(until))) {
          now = until;
          return done();
        }
      }
      return true;
    },
  };
}
