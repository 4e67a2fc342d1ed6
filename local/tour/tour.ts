import type { RunningCluster } from "../cluster/running-cluster.ts";
import type { Step } from "./play.ts";

/** What a file `tour.ts` in a folder beside this one exports as `tour`: one system from end to end. */
export interface Tour {
  readonly title: string;
  /** It installs more than is installed by default, with stand-ins for what lies outside: not on a user's cluster. */
  readonly ownCluster?: true;
  steps(world: TourWorld): Step[];
}

/** What a tour stands on. */
export interface TourWorld extends RunningCluster {
  readonly signal: AbortSignal;
  counts(): Counts;
}

/** How much has happened since the start. What the sweep does by the clock is counted apart. */
export interface Counts {
  /** Events that sources have sent about changes. */
  readonly emitted: number;
  /** Events that functions have answered. */
  readonly delivered: number;
  /** Processes that have been started. */
  readonly started: number;
  readonly sweeps: number;
}
