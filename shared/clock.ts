/**
 * Time as the kit and the laptop edition see it: a real clock in production, a virtual one in tests and simulations.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `run` after `ms` milliseconds, unless what this returns is called before. */
  after(ms: number, run: () => void): CallOff;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Calls a timer off; without effect once it has run. */
export type CallOff = () => void;

/** Makes sleep of timers. */
export function sleepBy(after: Clock["after"]): Clock["sleep"] {
  return (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        callOff();
        reject(signal?.reason);
      };
      const callOff = after(ms, () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      });
      signal?.addEventListener("abort", stop, { once: true });
    });
}

function after(ms: number, run: () => void): CallOff {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/** The machine's own clock. A timer that is called off does not keep the process alive. */
export const systemClock: Clock = { now: () => Date.now(), after, sleep: sleepBy(after) };

/**
 * Whether the clock that wrote this time was ten minutes ahead, or was set back since: the time does not say when
 * anything was. Both in milliseconds since the epoch.
 */
export const isFarAhead = (time: number, now: number): boolean => time - now >= 600_000;
