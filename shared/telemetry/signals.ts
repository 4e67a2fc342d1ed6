import type { Instruments } from "./instruments.ts";
import type { ListedSteps } from "./listed-steps.ts";
import type { Spans } from "./spans.ts";

/** What telemetry consists of. */
export interface Signals {
  readonly spans: Spans;
  readonly instruments: Instruments;
  /** Only where a function lists all objects of its kinds. */
  readonly listed?: ListedSteps;
}

/** Returns a function that returns the seconds since. */
export function stopwatch(): () => number {
  const since = performance.now();
  return () => (performance.now() - since) / 1000;
}
