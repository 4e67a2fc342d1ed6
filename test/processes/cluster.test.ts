import { describe, inject } from "vitest";
import { startControlPlane } from "../cluster/control-plane.ts";
import { missingControllers } from "../cluster/missing-controllers.ts";
import { beside } from "../scenarios/pvc-protection/settings.ts";
import { type ProcessWorldsOptions, processWorlds } from "../worlds/process-world.ts";
import type { RealWorlds } from "../worlds/real-world.ts";
import { runAll } from "./run-all.ts";

const cluster = inject("cluster");

describe.skipIf(!cluster)("by npm start -- --kubeconfig on a real control plane", () => {
  if (!cluster) return;
  const theirs = { kubeconfig: cluster.kubeconfig, missing: missingControllers(cluster), throwaway: false };
  runAll(
    (options) => (cluster.assets ? onPlane(cluster.assets, options) : processWorlds(beside, { ...theirs, ...options })),
    { functionsMayGo: true },
  );
});

/**
 * The suite's own control plane guards owner references, for which no function of ours has the right. Each worlds have
 * one to themselves: namespaces that the one before has left would be swept by the next.
 */
async function onPlane(assets: string, options: Pick<ProcessWorldsOptions, "bySweepsAlone">): Promise<RealWorlds> {
  const plane = await startControlPlane(assets);
  const { kubeconfig, stop } = plane;
  try {
    const worlds = await processWorlds(beside, {
      kubeconfig,
      missing: missingControllers(plane),
      throwaway: true,
      ...options,
    });
    return { ...worlds, stop: () => worlds.stop().finally(stop) };
  } catch (error) {
    await stop();
    throw error;
  }
}
