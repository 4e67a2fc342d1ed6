import { type Cluster, KubeConfig } from "@kubernetes/client-node";

/** The text of a kubeconfig for the user of a bearer token. */
export function tokenKubeconfig(cluster: Cluster, token: string): string {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(cluster, { name: "user", token });
  return config.exportConfig();
}
