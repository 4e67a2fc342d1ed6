import { afterAll, beforeAll, describe, inject } from "vitest";
import { type ControlPlane, startControlPlane } from "../cluster/control-plane.ts";
import { missingControllers } from "../cluster/missing-controllers.ts";
import { beside } from "../scenarios/pvc-protection/settings.ts";
import { processWorlds } from "../worlds/process-world.ts";
import { runAll } from "./run-all.ts";

const cluster = inject("cluster");

describe.skipIf(!cluster)("by npm start -- --kubeconfig on a real control plane", () => {
  if (!cluster) return;
  const { assets } = cluster;
  let plane: ControlPlane | undefined;
  beforeAll(async () => {
    // The suite's own control plane guards owner references, for which no function of ours has the right.
    if (assets) plane = await startControlPlane(assets);
  });
  afterAll(() => plane?.stop());
  const start = (options: { bySweepsAlone: boolean }) => {
    const { kubeconfig } = plane ?? cluster;
    const missing = missingControllers(plane ?? cluster);
    return processWorlds(beside, { kubeconfig, missing, throwaway: assets !== undefined, ...options });
  };
  runAll(start, { functionsMayGo: true });
});
