import type { Client } from "../../../shared/kubernetes/client.ts";
import { withManagementCluster } from "./management-cluster.ts";
import { type Common, common } from "./settings.ts";

/**
 * What every rule that looks at satellites shares. Without this client Machines of another cluster would be taken for
 * gone.
 */
export const satelliteRule = {
  settings: common,
  common,
  mounts: ["cluster-api"],
  client: (own: Client, { clusterApiKubeconfig }: Pick<Common, "clusterApiKubeconfig">): Promise<Client> =>
    withManagementCluster(own, clusterApiKubeconfig, async (file) =>
      (await import("../../../shared/serve/connect.ts")).connect(file),
    ),
} as const;
