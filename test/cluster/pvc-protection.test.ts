import { afterAll, beforeAll, describe, inject } from "vitest";
import { watchInvariants } from "../scenarios/pvc-protection/invariants.ts";
import { settings } from "../scenarios/pvc-protection/settings.ts";
import { stories } from "../scenarios/pvc-protection/stories.ts";
import { proveGrantsAreUsed } from "../scenarios/rights.ts";
import { tell } from "../scenarios/tell.ts";
import { realServer } from "../worlds/real-server.ts";
import { type RealWorlds, realWorlds } from "../worlds/real-world.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { missingControllers } from "./missing-controllers.ts";

const cluster = inject("cluster");
const quick = stories.filter(({ takes }) => takes === undefined);

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
  const asked = tell(quick, beside, {
    open: (...told) => worlds.open(...told),
    watch: watchInvariants,
    sideBySide: true,
  });
  proveGrantsAreUsed("pvc-protection", asked);
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
  tell(quick, alone, { open: (...told) => worlds.open(...told), watch: watchInvariants, sideBySide: true });
});
