import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { fromHere } from "../../shared/command/from-here.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import type { ClusterOptions } from "./cluster-options.ts";

/** A cluster, and the namespace in which its user looks when none is named. */
export interface Cluster {
  readonly client: Client;
  readonly namespace: string;
}

/**
 * The cluster of a kubeconfig, or the one that kubectl would speak to.
 *
 * @throws UserError where there is none, or no such context.
 */
export function openCluster({ kubeconfig, context }: ClusterOptions): Cluster {
  const { KUBECONFIG, KUBERNETES_SERVICE_HOST: inCluster } = process.env;
  // client-node would fall back to a cluster on port 8080 of this machine.
  if (!kubeconfig && !KUBECONFIG && !inCluster && !existsSync(join(homedir(), ".kube/config")))
    throw new UserError("No cluster is named: give --kubeconfig FILE, or set KUBECONFIG.");
  const file = kubeconfig && fromHere(kubeconfig);
  const config = new KubeConfig();
  try {
    if (file) config.loadFromFile(file);
    else config.loadFromDefault();
  } catch (cause) {
    throw unreadable(kubeconfig ?? KUBECONFIG, cause);
  }
  const names = config.getContexts().map(({ name }) => name);
  if (context && !names.includes(context))
    throw new UserError(`The kubeconfig has no context ${context}; it has ${names.join(", ") || "none"}.`);
  const { namespace = "default" } = config.getContextObject(context ?? config.getCurrentContext()) ?? {};
  try {
    return { client: createClient(kubeconfigTransport(file, context)), namespace };
  } catch (cause) {
    throw unreadable(kubeconfig ?? KUBECONFIG, cause);
  }
}

function unreadable(file: string | undefined, cause: unknown): UserError {
  const [reason] = (cause as Error).message.split("\n");
  return new UserError(`The kubeconfig ${file ?? ""} cannot be read: ${reason}`, { cause });
}
