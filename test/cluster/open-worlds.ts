import { realServer } from "../worlds/real-server.ts";
import { realWorlds } from "../worlds/real-world.ts";
import { type OpenWorlds, whileTestsRun } from "../worlds/while-tests-run.ts";
import { type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
import type { ProvidedCluster } from "./global-setup.ts";
import { missingControllers } from "./missing-controllers.ts";

/** Worlds on the suite's cluster, for the tests of the `describe` it is called in. */
export function worldsOnCluster(cluster: ProvidedCluster): OpenWorlds {
  return whileTestsRun(() =>
    realWorlds(
      realServer(cluster.kubeconfig, { throwaway: cluster.assets !== undefined }),
      missingControllers(cluster),
    ),
  );
}

/**
 * Worlds on a control plane that is started for the tests of the `describe` it is called in, from the binaries in
 * `assets`. `controllers` changes which of the laptop edition stand in there, as {@link realWorlds} takes them.
 */
export function worldsOnNewPlane(
  assets: string,
  options: ControlPlaneOptions = {},
  controllers: readonly string[] = [],
): OpenWorlds {
  return whileTestsRun(async () => {
    const plane = await startControlPlane(assets, options);
    const server = realServer(plane.kubeconfig, { throwaway: true });
    const worlds = await realWorlds(server, [...missingControllers(plane), ...controllers]).catch(async (error) => {
      await plane.stop();
      throw error;
    });
    return {
      open: worlds.open,
      async stop() {
        await worlds.stop();
        await plane.stop();
      },
    };
  });
}
