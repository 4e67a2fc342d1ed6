import { afterAll, beforeAll, describe, inject } from "vitest";
import { runScenarios } from "../scenarios/run-scenarios.ts";
import { quiet } from "../scenarios/undelete/quiet.ts";
import { scenarios } from "../scenarios/undelete/scenarios.ts";
import { always, asking, never } from "../scenarios/undelete/settings.ts";
import { realServer } from "../worlds/real-server.ts";
import { type RealWorlds, realWorlds } from "../worlds/real-world.ts";
import { missingControllers } from "./missing-controllers.ts";

const cluster = inject("cluster");
/** How often functions look is counted where nobody but the scenario makes events of a claim. */
const uncounted = scenarios.filter(({ title }) => !quiet.some((scenario) => scenario.title === title));

describe.skipIf(!cluster)("undelete on a real control plane", () => {
  if (!cluster) return;
  let worlds: RealWorlds;
  beforeAll(async () => {
    worlds = await realWorlds(
      realServer(cluster.kubeconfig, { throwaway: cluster.assets !== undefined }),
      missingControllers(cluster),
    );
  });
  afterAll(() => worlds?.stop());

  runScenarios(uncounted, [asking, always, never], {
    open: (...args) => worlds.open(...args),
    watch: () => ({ check: async () => {} }),
    sideBySide: true,
  });
});
