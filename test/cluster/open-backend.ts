import { realBackend } from "../harness/real-backend.ts";
import { realServer } from "../harness/real-server.ts";
import { type OpenBackend, whileTestsRun } from "../harness/while-tests-run.ts";
import { type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
import type { ProvidedCluster } from "./global-setup.ts";
import { missingControllers } from "./missing-controllers.ts";

/** Worlds on the suite's cluster, for the tests of the `describe` it is called in. */
export function backendOnCluster(cluster: ProvidedCluster): OpenBackend {
  return whileTestsRun(() =>
    realBackend(
      realServer(cluster.kubeconfig, { throwaway: cluster.assets !== undefined }),
      missingControllers(cluster),
    ),
  );
}

/**
 * Worlds on a control plane that is started for the tests of the `describe` it is called in, from the binaries in
 * `assets`. `controllers` changes which of the laptop edition stand in there, as {@link realBackend} takes them.
 */
export function backendOnNewPlane(
  assets: string,
  options: ControlPlaneOptions = {},
  controllers: readonly string[] = [],
): OpenBackend {
  return whileTestsRun(async () => {
    const plane = await startControlPlane(assets, options);
    const server = realServer(plane.kubeconfig, { throwaway: true });
    const worlds = await realBackend(server, [...missingControllers(plane), ...controllers]).catch(async (error) => {
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
