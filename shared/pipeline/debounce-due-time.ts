import type { Progress } from "../progress.ts";

/** So much may a due time slip without being written, in milliseconds: no rule pauses for longer between two looks. */
const slack = 3_600_000;
/** Milliseconds by which the clocks of two instances may be apart: one a minute ahead, the other as much behind. */
const maxClockSkewMs = 120_000;

/**
 * Whether the due time that is written down is to stay, because it comes before `next`, or only as much after it as the
 * clock of the instance that wrote it may be ahead. A rule that says "again in ten seconds" at each look would
 * otherwise write a new time at each look and be triggered by that write, for ever; and of two instances each would
 * write its own time over the other's. What is written down is looked at first; once it has passed, a new time is
 * written. `next` and `now` are in milliseconds since the epoch.
 */
export function hasSlipped(before: Progress | undefined, next: number | undefined, now: number): before is Progress {
  const written = Date.parse(before?.next ?? "");
  return next !== undefined && written > now && next >= written - maxClockSkewMs && next - written <= slack;
}
