import type { Counts } from "../stage/counts.ts";
import type { Stage } from "../stage/stage.ts";

/** What a tour stands on. */
export interface TourWorld extends Stage {
  readonly signal: AbortSignal;
  counts(): Counts;
}
