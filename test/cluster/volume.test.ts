import { afterAll, beforeAll, describe, inject } from "vitest";
import { tell } from "../scenarios/tell.ts";
import { scenarios } from "../scenarios/volume/scenarios.ts";
import { realSalt, standInSalt } from "../scenarios/volume/settings.ts";
import { realServer } from "../worlds/real-server.ts";
import { type RealWorlds, realWorlds } from "../worlds/real-world.ts";
import { freePorts } from "./free-ports.ts";
import { missingControllers } from "./missing-controllers.ts";
import { startSaltLab } from "./salt-lab.ts";

const cluster = inject("cluster");
const [port = 24_000] = cluster ? await freePorts(1) : [];
const lab = cluster ? startSaltLab(port) : "There is no control plane.";
if (typeof lab === "string") console.log(`Volumes on a real Salt are skipped: ${lab}`);

describe.skipIf(!cluster)("Volumes on a real control plane", () => {
  if (!cluster) return;
  let worlds: RealWorlds;
  beforeAll(async () => {
    worlds = await realWorlds(
      realServer(cluster.kubeconfig, { throwaway: cluster.assets !== undefined }),
      missingControllers(cluster),
    );
  });
  afterAll(async () => {
    await worlds?.stop();
    if (typeof lab !== "string") lab.stop();
  });

  // Each scenario beside the stand-in, and the same with real loop devices on a real Salt.
  tell(scenarios, [standInSalt, ...(typeof lab === "string" ? [] : [realSalt(lab.environment)])], {
    open: (...told) => worlds.open(...told),
    watch: () => ({ check: async () => {} }),
  });
});
