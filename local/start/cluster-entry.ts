import { KubeConfig } from "@kubernetes/client-node";
import { UserError } from "../../shared/command/user-error.ts";
import type { ClusterEntry } from "./credentials.ts";

/** A cluster that a user's kubeconfig leads to. */
export interface KnownCluster {
  readonly server: string;
  readonly context: string;
  readonly user: string;
  /** Without the identity. */
  readonly entry: ClusterEntry;
}

/** @throws UserError when the file cannot be read, or names no cluster. */
export function readCluster(file: string): KnownCluster {
  const config = new KubeConfig();
  try {
    config.loadFromFile(file);
  } catch (error) {
    throw new UserError(`The kubeconfig ${file} cannot be read: ${(error as Error).message.split("\n")[0]}`);
  }
  const cluster = config.getCurrentCluster();
  if (!cluster?.server) throw new UserError(`The kubeconfig ${file} has no current context with a cluster.`);
  const { clusters } = JSON.parse(config.exportConfig()) as { clusters: { name: string; cluster: ClusterEntry }[] };
  return {
    server: cluster.server,
    context: config.getCurrentContext(),
    user: config.getCurrentUser()?.name ?? "",
    entry: clusters.find(({ name }) => name === cluster.name)?.cluster ?? {},
  };
}
