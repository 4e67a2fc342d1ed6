import type { Counts } from "../cluster/counts.ts";
import type { RunningCluster } from "../cluster/running-cluster.ts";

/** What a tour stands on. */
export interface TourWorld extends RunningCluster {
  readonly signal: AbortSignal;
  counts(): Counts;
}
