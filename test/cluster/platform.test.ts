import { describe } from "vitest";
import { scenarios } from "../scenarios/platform/scenarios.ts";
import { settings } from "../scenarios/platform/settings.ts";
import { watchInvariants } from "../scenarios/pvc-protection/invariants.ts";
import { runScenarios } from "../scenarios/run-scenarios.ts";
import { backendOnCluster } from "./open-backend.ts";
import { ownCluster } from "./own-cluster.ts";

const cluster = ownCluster;

describe.skipIf(!cluster)("the functions that serve the rules, on a real control plane", () => {
  if (!cluster) return;
  const { open } = backendOnCluster(cluster);

  runScenarios(scenarios, settings, { open, watch: watchInvariants });
});
