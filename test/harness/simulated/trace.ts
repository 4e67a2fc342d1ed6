import type { Clock } from "../../../shared/clock.ts";

/** What happened in a run, line by line. Two runs of one number write the same lines. */
export interface Trace {
  readonly lines: readonly string[];
  /** Who did or said what, now. */
  add(who: string, what: string): void;
}

/** A trace that begins now; times count from here. */
export function startTrace(clock: Clock): Trace {
  const lines: string[] = [];
  const began = clock.now();
  return {
    lines,
    add(who, what) {
      const seconds = ((clock.now() - began) / 1000).toFixed(3).padStart(8);
      lines.push(`${seconds}  ${who.padEnd(14)}  ${what}`);
    },
  };
}
