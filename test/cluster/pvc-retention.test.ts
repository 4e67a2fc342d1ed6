import { afterAll, beforeAll, describe, inject } from "vitest";
import { watchInvariants } from "../scenarios/pvc-retention/invariants.ts";
import { scenarios } from "../scenarios/pvc-retention/scenarios.ts";
import { admitted, byDefault } from "../scenarios/pvc-retention/settings.ts";
import { runScenarios } from "../scenarios/run-scenarios.ts";
import { realServer } from "../worlds/real-server.ts";
import { type RealWorlds, realWorlds } from "../worlds/real-world.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { missingControllers } from "./missing-controllers.ts";

const cluster = inject("cluster");
const assets = cluster?.assets;

/** Real time is dear: every scenario is run as installed by default, or where its setting makes the difference. */
const quick = scenarios.filter(({ takes }) => takes === undefined);
const isRunIn = (setting: typeof byDefault) =>
  quick.filter(({ settings }) => settings?.includes(setting) ?? setting === byDefault);

describe.skipIf(!assets)("PVC retention on a real control plane", () => {
  if (!assets) return;
  let plane: ControlPlane;
  let worlds: RealWorlds;
  beforeAll(async () => {
    // The suite's own control plane guards owner references, for which no function of ours has the right.
    plane = await startControlPlane(assets);
    worlds = await realWorlds(realServer(plane.kubeconfig, { throwaway: true }), missingControllers(plane));
  });
  afterAll(async () => {
    await worlds?.stop();
    await plane?.stop();
  });

  const runner = {
    open: (...args: Parameters<RealWorlds["open"]>) => worlds.open(...args),
    watch: watchInvariants,
    sideBySide: true,
  };
  runScenarios(isRunIn(byDefault), [byDefault], runner);
  runScenarios(isRunIn(admitted), [admitted], runner);
});
