import type { Step } from "./play.ts";
import type { TourWorld } from "./world.ts";

/** What a file `tour.ts` in a folder beside this one exports as `tour`: one system from end to end. */
export interface Tour {
  readonly title: string;
  /** It installs more than is installed by default, with stand-ins for what lies outside: not on a user's cluster. */
  readonly ownCluster?: true;
  steps(world: TourWorld): Step[];
}
