import { afterAll, beforeAll, describe } from "vitest";
import { processWorlds } from "../worlds/process-world.ts";
import type { RealWorlds } from "../worlds/real-world.ts";
import { bySweepsAlone } from "./by-sweeps-alone.ts";
import { clusterLife } from "./pvc-protection/cluster-life.ts";
import { watchInvariants } from "./pvc-protection/invariants.ts";
import { beside } from "./pvc-protection/settings.ts";
import { tell } from "./tell.ts";

// Real time is dear: the stories in which most of a cluster takes part stand for the others.
describe("PVC protection by npm start", { timeout: 60_000 }, () => {
  let worlds: RealWorlds;
  beforeAll(async () => {
    worlds = await processWorlds(beside, { missing: ["kubelet"] });
  }, 60_000);
  afterAll(() => worlds?.stop(), 30_000);

  const teller = {
    open: (...told: Parameters<RealWorlds["open"]>) => worlds.open(...told),
    watch: watchInvariants,
    sideBySide: true,
  };
  tell(clusterLife, [beside], teller);
  // Last, because the sources do not come back.
  const swept = bySweepsAlone(clusterLife, beside, 2_000);
  tell(swept.stories, [swept.setting], teller);
});
