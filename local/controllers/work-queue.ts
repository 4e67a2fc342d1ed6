import type { CallOff } from "../../shared/clock.ts";
import { isConflict } from "../../shared/kubernetes/api-error.ts";
import type { ControllerTools } from "./controller.ts";

/** Keys that need a look. Level-triggered: a key says which object, never what happened to it. */
export interface WorkQueue {
  /** A key already waiting is not queued twice; one being worked on is looked at once more afterwards. */
  add(key: string): void;
  /** Adds the key in `ms` milliseconds; of several such requests for one key the earliest counts. */
  addAfter(key: string, ms: number): void;
}

export interface WorkQueueOptions {
  /** Whose it is. Each rejection but the first few conflicts in a row is reported as its trouble. */
  controller: string;
  /** Nothing is worked on before this resolves: the caches the work reads. */
  ready: Promise<unknown>;
  /** Looks at one key; never called twice at once for the same key. A rejection is retried with backoff. */
  work(key: string): Promise<void>;
  /** How many keys may be worked on at once; 1 by default. */
  workers?: number;
}

/** Starts a work queue. Without keys it holds no timer and does nothing; it ends with `signal`. */
export function startWorkQueue(
  { clock, signal, trouble }: Pick<ControllerTools, "clock" | "signal" | "trouble">,
  { controller, ready, work, workers = 1 }: WorkQueueOptions,
): WorkQueue {
  const waiting = new Set<string>();
  const running = new Set<string>();
  const again = new Set<string>();
  const failures = new Map<string, number>();
  const timers = new Map<string, { at: number; callOff: CallOff }>();
  let started = false;

  ready.then(() => {
    started = true;
    next();
  });
  signal.addEventListener("abort", () => {
    for (const { callOff } of timers.values()) callOff();
  });

  function next(): void {
    for (const key of waiting) {
      if (!started || signal.aborted || running.size >= workers) return;
      waiting.delete(key);
      running.add(key);
      void run(key);
    }
  }

  async function run(key: string): Promise<void> {
    try {
      await work(key);
      failures.delete(key);
    } catch (error) {
      if (!signal.aborted) {
        const count = failures.get(key) ?? 0;
        // A cache that is a little behind is no trouble unless it stays so.
        if (!isConflict(error) || count >= 3) trouble({ controller, subject: key, error });
        failures.set(key, count + 1);
        addAfter(key, backoff(count));
      }
    }
    running.delete(key);
    if (again.delete(key)) waiting.add(key);
    next();
  }

  function add(key: string): void {
    timers.get(key)?.callOff();
    timers.delete(key);
    (running.has(key) ? again : waiting).add(key);
    next();
  }

  function addAfter(key: string, ms: number): void {
    const at = clock.now() + ms;
    const timer = timers.get(key);
    if (signal.aborted || (timer && timer.at <= at)) return;
    timer?.callOff();
    timers.set(key, { at, callOff: clock.after(ms, () => add(key)) });
  }

  return { add, addAfter };
}

/** Milliseconds: 5 doubled for each failure in a row, a minute at most. */
function backoff(failures: number): number {
  return Math.min(60_000, 5 * 2 ** failures);
}
