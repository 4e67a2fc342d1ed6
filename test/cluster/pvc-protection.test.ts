import { afterAll, beforeAll, describe, inject } from "vitest";
import { watchInvariants } from "../scenarios/pvc-protection/invariants.ts";
import { settings } from "../scenarios/pvc-protection/settings.ts";
import { stories } from "../scenarios/pvc-protection/stories.ts";
import { tell } from "../scenarios/tell.ts";
import { realServer } from "../worlds/real-server.ts";
import { type RealWorlds, realWorlds } from "../worlds/real-world.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";

const cluster = inject("cluster");

describe.skipIf(!cluster)("PVC protection on a real control plane", () => {
  if (!cluster) return;
  let worlds: RealWorlds;
  beforeAll(async () => {
    worlds = await realWorlds(realServer(cluster.kubeconfig));
  });
  afterAll(() => worlds.stop());

  const protectedInTree = settings.filter(({ inTree }) => inTree);
  tell(stories, protectedInTree, { open: (setting) => worlds.open(setting), watch: watchInvariants });
});

const assets = cluster?.assets;

describe.skipIf(!assets)("PVC protection on a control plane without its own", () => {
  if (!assets) return;
  let plane: ControlPlane;
  let worlds: RealWorlds;
  beforeAll(async () => {
    plane = await startControlPlane(assets, {
      controllers: "*,-persistentvolumeclaim-protection-controller",
      disableAdmission: ["StorageObjectInUseProtection"],
    });
    worlds = await realWorlds(realServer(plane.kubeconfig));
  });
  afterAll(async () => {
    await worlds?.stop();
    await plane?.stop();
  });

  const unprotected = settings.filter(({ inTree }) => !inTree);
  tell(stories, unprotected, { open: (setting) => worlds.open(setting), watch: watchInvariants });
});
