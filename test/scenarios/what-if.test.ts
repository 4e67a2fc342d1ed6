import { describe } from "vitest";
import { openCluster } from "../harness/open-cluster.ts";
import { runScenarios } from "./run-scenarios.ts";
import { shipped } from "./undelete/settings.ts";
import { scenarios } from "./what-if/scenarios.ts";

describe("holdfast what-if on the laptop edition", () => {
  runScenarios(scenarios, [shipped], { open: openCluster });
});
