import { describe } from "vitest";
import { runScenarios } from "../scenarios/run-scenarios.ts";
import { limits } from "../scenarios/undelete/limits.ts";
import { quiet } from "../scenarios/undelete/quiet.ts";
import { scenarios } from "../scenarios/undelete/scenarios.ts";
import { always, asking, claimsIgnored, narrow, shipped } from "../scenarios/undelete/settings.ts";
import { backendOnCluster } from "./open-backend.ts";
import { ownCluster } from "./own-cluster.ts";
import { share } from "./share.ts";

const cluster = ownCluster;
/** How often functions look is counted where only the scenario makes events of a claim. */
const uncounted = scenarios.filter(({ title }) => !quiet.some((scenario) => scenario.title === title));

describe.skipIf(!cluster)("undelete on a real control plane", () => {
  if (!cluster) return;
  const { open } = backendOnCluster(cluster);

  // What keeps a tenant from storage without bound is shown on the real server for each tree.
  const others = uncounted.filter((scenario) => !limits.includes(scenario));
  runScenarios([...limits, ...share(others)], [shipped, asking, always, narrow, claimsIgnored], {
    open,
    sideBySide: true,
  });
});
