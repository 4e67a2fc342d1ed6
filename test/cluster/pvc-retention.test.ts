import { afterAll, beforeAll, describe, inject } from "vitest";
import { watchInvariants } from "../scenarios/pvc-retention/invariants.ts";
import { guarded, off, scaled, whole } from "../scenarios/pvc-retention/settings.ts";
import { stories } from "../scenarios/pvc-retention/stories.ts";
import { proveGrantsAreUsed } from "../scenarios/rights.ts";
import { tell } from "../scenarios/tell.ts";
import { realServer } from "../worlds/real-server.ts";
import { type RealWorlds, realWorlds } from "../worlds/real-world.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { missingControllers } from "./missing-controllers.ts";

const cluster = inject("cluster");
const quick = stories.filter(({ takes }) => takes === undefined);

// The suite's own control plane guards owner references, if it is ours.
describe.skipIf(!cluster?.assets)("PVC retention on a real control plane that guards owner references", () => {
  if (!cluster) return;
  let worlds: RealWorlds;
  beforeAll(async () => {
    worlds = await realWorlds(realServer(cluster.kubeconfig), missingControllers(cluster));
  });
  afterAll(() => worlds?.stop());

  const asked = tell(quick, [guarded], {
    open: (...told) => worlds.open(...told),
    watch: watchInvariants,
    sideBySide: true,
  });
  proveGrantsAreUsed("pvc-retention", asked);
});

const assets = cluster?.assets;

describe.skipIf(!assets)("PVC retention on a real control plane", () => {
  if (!assets) return;
  let plane: ControlPlane;
  let worlds: RealWorlds;
  beforeAll(async () => {
    plane = await startControlPlane(assets);
    worlds = await realWorlds(realServer(plane.kubeconfig), missingControllers(plane));
  });
  afterAll(async () => {
    await worlds?.stop();
    await plane?.stop();
  });

  const asked = tell(quick, [whole, scaled, off], {
    open: (...told) => worlds.open(...told),
    watch: watchInvariants,
    sideBySide: true,
  });
  proveGrantsAreUsed("pvc-retention", asked);
});
