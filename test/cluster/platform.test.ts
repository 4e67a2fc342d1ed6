import { afterAll, beforeAll, describe, inject } from "vitest";
import { settings } from "../scenarios/platform/settings.ts";
import { stories } from "../scenarios/platform/stories.ts";
import { watchInvariants } from "../scenarios/pvc-protection/invariants.ts";
import { proveGrantsAreUsed } from "../scenarios/rights.ts";
import { tell } from "../scenarios/tell.ts";
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

  const asked = tell(stories, settings, { open: (...told) => worlds.open(...told), watch: watchInvariants });
  proveGrantsAreUsed("platform", asked);
});
