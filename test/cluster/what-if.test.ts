import { describe } from "vitest";
import { runScenarios } from "../scenarios/run-scenarios.ts";
import { shipped } from "../scenarios/undelete/settings.ts";
import { scenarios } from "../scenarios/what-if/scenarios.ts";
import { backendOnCluster } from "./open-backend.ts";
import { ownCluster } from "./own-cluster.ts";

const cluster = ownCluster;

describe.skipIf(!cluster)("holdfast what-if on a real control plane", () => {
  if (!cluster) return;
  const { open } = backendOnCluster(cluster);
  runScenarios(scenarios, [shipped], { open, sideBySide: true });
});
