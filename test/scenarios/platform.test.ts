import { describe } from "vitest";
import { openCluster } from "../harness/open-cluster.ts";
import { scenarios } from "./platform/scenarios.ts";
import { settings } from "./platform/settings.ts";
import { watchInvariants } from "./pvc-protection/invariants.ts";
import { proveGrantsAreUsed, proveWritesAreMade } from "./rights.ts";
import { runScenarios } from "./run-scenarios.ts";

describe("the functions that serve the rules, on the laptop edition", () => {
  const asked = runScenarios(scenarios, settings, { open: openCluster, watch: watchInvariants });
  proveWritesAreMade("platform", asked);
  proveGrantsAreUsed("platform", asked);
});
