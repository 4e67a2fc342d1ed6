import type { Counts } from "../start/activity.ts";
import type { Stage } from "../start/stage.ts";

/** What a tour stands on. */
export interface TourWorld extends Stage {
  readonly signal: AbortSignal;
  counts(): Counts;
}
