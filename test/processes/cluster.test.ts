import { describe } from "vitest";
import { startControlPlane } from "../cluster/control-plane.ts";
import { missingControllers } from "../cluster/missing-controllers.ts";
import { ownCluster } from "../cluster/own-cluster.ts";
import { share } from "../cluster/share.ts";
import type { Backend } from "../harness/backend.ts";
import { type ProcessOptions, processBackend } from "../harness/process-backend.ts";
import { beside } from "../scenarios/pvc-protection/settings.ts";
import { runAll } from "./run-all.ts";

const cluster = ownCluster;

describe.skipIf(!cluster)("by npm start -- --kubeconfig on a real control plane", () => {
  if (!cluster) return;
  const theirs = { kubeconfig: cluster.kubeconfig, missing: missingControllers(cluster), throwaway: false };
  runAll(
    (options) =>
      cluster.assets ? onPlane(cluster.assets, options) : processBackend(beside, { ...theirs, ...options }),
    { functionsMayGo: true, part: share },
  );
});

/**
 * The suite's own control plane guards owner references, for which no function of ours has the right. Each worlds have
 * one to themselves: namespaces that the one before has left would be swept by the next.
 */
async function onPlane(assets: string, options: Pick<ProcessOptions, "bySweepsAlone">): Promise<Backend> {
  const plane = await startControlPlane(assets);
  const { kubeconfig, stop } = plane;
  try {
    const worlds = await processBackend(beside, {
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
