import { afterAll, beforeAll, describe, inject } from "vitest";
import { scenarios } from "../scenarios/platform/scenarios.ts";
import { settings } from "../scenarios/platform/settings.ts";
import { watchInvariants } from "../scenarios/pvc-protection/invariants.ts";
import { runScenarios } from "../scenarios/run-scenarios.ts";
import { realServer } from "../worlds/real-server.ts";
import { type RealWorlds, realWorlds } from "../worlds/real-world.ts";
import { missingControllers } from "./missing-controllers.ts";

const cluster = inject("cluster");

describe.skipIf(!cluster)("the functions that serve the rules, on a real control plane", () => {
  if (!cluster) return;
  let worlds: RealWorlds;
  beforeAll(async () => {
    worlds = await realWorlds(
      realServer(cluster.kubeconfig, { throwaway: cluster.assets !== undefined }),
      missingControllers(cluster),
    );
  });
  afterAll(() => worlds?.stop());

  runScenarios(scenarios, settings, { open: (...args) => worlds.open(...args), watch: watchInvariants });
});
