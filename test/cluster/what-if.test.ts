import { describe, inject } from "vitest";
import { runScenarios } from "../scenarios/run-scenarios.ts";
import { shipped } from "../scenarios/undelete/settings.ts";
import { scenarios } from "../scenarios/what-if/scenarios.ts";
import { backendOnCluster } from "./open-backend.ts";

const cluster = inject("cluster");

describe.skipIf(!cluster)("holdfast what-if on a real control plane", () => {
  if (!cluster) return;
  const { open } = backendOnCluster(cluster);
  runScenarios(scenarios, [shipped], { open, sideBySide: true });
});
