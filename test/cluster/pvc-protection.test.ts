import { afterAll, beforeAll, describe, inject } from "vitest";
import { watchInvariants } from "../scenarios/pvc-protection/invariants.ts";
import { scenarios } from "../scenarios/pvc-protection/scenarios.ts";
import { settings } from "../scenarios/pvc-protection/settings.ts";
import { runScenarios } from "../scenarios/run-scenarios.ts";
import { realServer } from "../worlds/real-server.ts";
import { type RealWorlds, realWorlds } from "../worlds/real-world.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { missingControllers } from "./missing-controllers.ts";

const cluster = inject("cluster");
const quick = scenarios.filter(({ takes }) => takes === undefined);

describe.skipIf(!cluster)("PVC protection on a real control plane", () => {
  if (!cluster) return;
  let worlds: RealWorlds;
  beforeAll(async () => {
    worlds = await realWorlds(
      realServer(cluster.kubeconfig, { throwaway: cluster.assets !== undefined }),
      missingControllers(cluster),
    );
  });
  afterAll(() => worlds?.stop());

  const beside = settings.filter(({ inTree }) => inTree);
  runScenarios(quick, beside, {
    open: (...args) => worlds.open(...args),
    watch: watchInvariants,
    sideBySide: true,
  });
});

const assets = cluster?.assets;

describe.skipIf(!assets)("PVC protection on a control plane without its own", () => {
  if (!assets) return;
  const inTree = "persistentvolumeclaim-protection-controller";
  let plane: ControlPlane;
  let worlds: RealWorlds;
  beforeAll(async () => {
    plane = await startControlPlane(assets, {
      controllers: `*,-${inTree}`,
      disableAdmission: ["StorageObjectInUseProtection"],
    });
    worlds = await realWorlds(realServer(plane.kubeconfig, { throwaway: true }), [
      ...missingControllers(plane),
      `-${inTree}`,
    ]);
  });
  afterAll(async () => {
    await worlds?.stop();
    await plane?.stop();
  });

  const alone = settings.filter(({ inTree }) => !inTree);
  runScenarios(quick, alone, { open: (...args) => worlds.open(...args), watch: watchInvariants, sideBySide: true });
});
