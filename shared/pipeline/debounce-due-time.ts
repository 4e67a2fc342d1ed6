import type { Progress } from "../progress.ts";

/** So much may a due time slip without being written, in milliseconds: far more than an event takes to come back. */
const slack = 60_000;

/**
 * Whether a due time is the one that is written down already, a little later: then it is to stay as it is written. A
 * rule that says "again in ten seconds" at each look would otherwise write a new time at each look, and be triggered by
 * that write, for ever. What is written down comes first and is looked at then; once it has passed, a new time is
 * written. `next` and `now` are in milliseconds since the epoch.
 */
export function hasSlipped(before: Progress | undefined, next: number | undefined, now: number): before is Progress {
  const written = Date.parse(before?.next ?? "");
  return next !== undefined && written > now && next > written && next - written <= slack;
}
