import type { Command } from "commander";

/** The namespace of the manifests. */
const home = "holdfast";

/** How a user names the cluster that a command is for. */
export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Adds the options by which every command finds its cluster. */
export function withCluster(command: Command): Command {
  return command
    .option("--kubeconfig <FILE>", "the cluster (default: KUBECONFIG, or ~/.kube/config)")
    .option("--context <NAME>", "a context of the kubeconfig (default: its current one)");
}

/** What a `holdfast` command needs besides, to find an installation that is not where the manifests have it. */
export const elsewhere = (installNamespace = home) =>
  installNamespace === home ? "" : ` --install-namespace ${installNamespace}`;

/** Where objects are looked for, and where Holdfast is installed. */
export interface PlaceOptions extends ClusterOptions {
  readonly namespace?: string;
  readonly installNamespace: string;
}

/** The same, for commands that look at objects and ask rules. */
export function withPlace(command: Command): Command {
  return withCluster(command)
    .option("-n, --namespace <NS>", "where the object is (default: that of the context)")
    .option("--install-namespace <NS>", "where Holdfast is installed", home);
}
