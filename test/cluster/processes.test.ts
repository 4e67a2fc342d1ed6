import { afterAll, beforeAll, describe, inject } from "vitest";
import { watchInvariants } from "../scenarios/pvc-protection/invariants.ts";
import { beside } from "../scenarios/pvc-protection/settings.ts";
import { stories } from "../scenarios/pvc-protection/stories.ts";
import { tell } from "../scenarios/tell.ts";
import { processWorlds } from "../worlds/process-world.ts";
import type { RealWorlds } from "../worlds/real-world.ts";
import { missingControllers } from "./missing-controllers.ts";

const cluster = inject("cluster");

describe.skipIf(!cluster)("PVC protection by npm start -- --kubeconfig on a real control plane", () => {
  if (!cluster) return;
  let worlds: RealWorlds;
  beforeAll(async () => {
    worlds = await processWorlds(beside, { kubeconfig: cluster.kubeconfig, missing: missingControllers(cluster) });
  });
  afterAll(() => worlds?.stop());

  const seenFromOutside = stories.filter(({ within }) => !within);
  tell(seenFromOutside, [beside], {
    open: (...told) => worlds.open(...told),
    watch: watchInvariants,
    sideBySide: true,
  });
});
