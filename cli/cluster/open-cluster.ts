import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { KubeConfig } from "@kubernetes/client-node";
import { systemClock } from "../../shared/clock.ts";
import { fromHere } from "../../shared/command/from-here.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { caller } from "../../shared/kubernetes/call.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import { loadKubeconfig } from "../../shared/kubernetes/load-kubeconfig.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import type { ClusterOptions } from "./cluster-options.ts";

/** Milliseconds. */
const logDeadline = 30_000;

/** A cluster, and the namespace in which its user looks when none is named. */
export interface Cluster {
  readonly client: Client;
  readonly namespace: string;
  /** Reads what is no JSON, such as a log. @throws ApiError */
  readonly readText: (path: string) => Promise<string>;
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
  let config: KubeConfig;
  try {
    config = loadKubeconfig(file);
  } catch (cause) {
    throw unreadable(kubeconfig ?? KUBECONFIG, cause);
  }
  const names = config.getContexts().map(({ name }) => name);
  if (context && !names.includes(context))
    throw new UserError(`The kubeconfig has no context ${context}; it has ${names.join(", ") || "none"}.`);
  if (!context && !names.includes(config.getCurrentContext()) && names.length > 0)
    throw new UserError(`The kubeconfig has no current context: name one with --context; it has ${names.join(", ")}.`);
  const { namespace = "default" } = config.getContextObject(context ?? config.getCurrentContext()) ?? {};
  try {
    const transport = kubeconfigTransport(file, context);
    return { client: createClient(transport), namespace, readText: readText(transport) };
  } catch (cause) {
    throw unreadable(kubeconfig ?? KUBECONFIG, cause);
  }
}

const readText = (transport: Transport) => async (path: string) => {
  const call = caller(transport, systemClock, logDeadline);
  const chunks = await Array.fromAsync(call.text({ method: "GET", path, headers: {} }));
  return chunks.join("");
};

function unreadable(file: string | undefined, cause: unknown): UserError {
  const [reason = ""] = (cause as Error).message.split("\n");
  const said = `The kubeconfig ${file ?? ""} cannot be read: ${reason.replace(/\.?$/, ".")}`;
  return new UserError(`${said} Give another one by --kubeconfig or KUBECONFIG.`, { cause });
}
