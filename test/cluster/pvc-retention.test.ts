import { afterAll, beforeAll, describe, inject } from "vitest";
import { watchInvariants } from "../scenarios/pvc-retention/invariants.ts";
import { guarded, off, scaled, whole } from "../scenarios/pvc-retention/settings.ts";
import { differingIn, stories } from "../scenarios/pvc-retention/stories.ts";
import { proveGrantsAreUsed } from "../scenarios/rights.ts";
import { tell } from "../scenarios/tell.ts";
import { realServer } from "../worlds/real-server.ts";
import { type RealWorlds, realWorlds } from "../worlds/real-world.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { missingControllers } from "./missing-controllers.ts";

const cluster = inject("cluster");
const assets = cluster?.assets;

/** Real time is dear: every story is told as installed by default, or where its setting makes the difference. */
const quick = stories.filter(({ takes }) => takes === undefined);
const told = quick.filter(({ settings }) => settings?.includes(whole) ?? true);

/** What only the emulator shows: a server without the field, and what is told anew when a minute has passed. */
const elsewhere = [
  "pvc-retention-bequeath: delete events.k8s.io/events",
  "pvc-retention-bequeath: get events.k8s.io/events",
  "pvc-retention-condemn: patch /persistentvolumeclaims",
];

describe.skipIf(!assets)("PVC retention on a real control plane", () => {
  if (!assets) return;
  let plane: ControlPlane;
  let worlds: RealWorlds;
  beforeAll(async () => {
    plane = await startControlPlane(assets);
    worlds = await realWorlds(realServer(plane.kubeconfig, { throwaway: true }), missingControllers(plane));
  });
  afterAll(async () => {
    await worlds?.stop();
    await plane?.stop();
  });

  const teller = {
    open: (...told: Parameters<RealWorlds["open"]>) => worlds.open(...told),
    watch: watchInvariants,
    sideBySide: true,
  };
  const asked = tell(told, [whole], teller);
  proveGrantsAreUsed("pvc-retention", asked, elsewhere);
  tell([...differingIn(scaled, quick), ...differingIn(off, quick)], [scaled, off], teller);
});

// Here it is the suite's own control plane, which has the plugin on.
describe.skipIf(!assets)("PVC retention on a real control plane that guards owner references", () => {
  if (!cluster) return;
  let worlds: RealWorlds;
  beforeAll(async () => {
    worlds = await realWorlds(
      realServer(cluster.kubeconfig, { throwaway: cluster.assets !== undefined }),
      missingControllers(cluster),
    );
  });
  afterAll(() => worlds?.stop());

  const changing = quick.filter((story) => story.settings?.includes(guarded));
  tell(changing, [guarded], {
    open: (...told) => worlds.open(...told),
    watch: watchInvariants,
    sideBySide: true,
  });
});
