import { afterAll, beforeAll, describe, inject } from "vitest";
import { bySweepsAlone } from "../scenarios/by-sweeps-alone.ts";
import { watchInvariants } from "../scenarios/pvc-protection/invariants.ts";
import { beside } from "../scenarios/pvc-protection/settings.ts";
import { stories } from "../scenarios/pvc-protection/stories.ts";
import { tell } from "../scenarios/tell.ts";
import { processWorlds } from "../worlds/process-world.ts";
import { realServer } from "../worlds/real-server.ts";
import { type RealWorlds, realWorlds } from "../worlds/real-world.ts";
import { missingControllers } from "./missing-controllers.ts";

const cluster = inject("cluster");
const quick = stories.filter(({ takes }) => takes === undefined);
const swept = bySweepsAlone(quick, beside, 300);

describe.skipIf(!cluster)("PVC protection on a real control plane, without any source of changes", () => {
  if (!cluster) return;
  const missing = missingControllers(cluster);
  describe.each([
    ["each function under its own role", () => realWorlds(realServer(cluster.kubeconfig), missing)],
    ["by npm start", () => processWorlds(swept.setting, { kubeconfig: cluster.kubeconfig, missing })],
  ] as const)("%s", (_, start) => {
    let worlds: RealWorlds;
    beforeAll(async () => {
      worlds = await start();
    });
    afterAll(() => worlds?.stop());

    tell(swept.stories, [swept.setting], {
      open: (...told) => worlds.open(...told),
      watch: watchInvariants,
      sideBySide: true,
    });
  });
});
