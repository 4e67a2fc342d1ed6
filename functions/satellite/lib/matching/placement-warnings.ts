import { about } from "../../../../shared/about.ts";
import type { Decision } from "../../../../shared/decision.ts";
import { warning } from "../../../../shared/steps.ts";
import type { ConfiguredCluster } from "../configuration/configured-satellite.ts";
import { LinstorCluster } from "../kinds.ts";
import { placementProblem } from "./placement-problem.ts";

/** A Warning on each LinstorCluster that does not say clearly where it wants satellites. */
export function placementWarnings(clusters: readonly ConfiguredCluster[]): readonly Decision[] {
  return clusters.flatMap((cluster) => {
    const problem = placementProblem(cluster.spec ?? {});
    const message = `LinstorCluster ${cluster.metadata.name} is not valid. ${problem}`;
    return problem ? [about(LinstorCluster, cluster).record(message, warning("PlacementUnreadable"))] : [];
  });
}
