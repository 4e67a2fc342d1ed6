import { readFileSync } from "node:fs";
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

/** @throws UserError when the file, or one that it names, cannot be read, or when it names no cluster. */
export function readCluster(file: string): KnownCluster {
  const config = new KubeConfig();
  try {
    config.loadFromFile(file);
  } catch (error) {
    throw new UserError(`The kubeconfig ${file} cannot be read: ${(error as Error).message.split("\n")[0]}`);
  }
  const cluster = config.getCurrentCluster();
  if (!cluster?.server) throw new UserError(`The kubeconfig ${file} has no current context with a cluster.`);
  const { caData, caFile, skipTLSVerify, tlsServerName, proxyUrl } = cluster;
  const authority = caData ?? (caFile ? readAuthority(file, caFile) : undefined);
  return {
    server: cluster.server,
    context: config.getCurrentContext(),
    user: config.getCurrentUser()?.name ?? "",
    entry: {
      server: cluster.server,
      ...(authority ? { "certificate-authority-data": authority } : {}),
      ...(skipTLSVerify ? { "insecure-skip-tls-verify": true } : {}),
      ...(tlsServerName ? { "tls-server-name": tlsServerName } : {}),
      ...(proxyUrl ? { "proxy-url": proxyUrl } : {}),
    },
  };
}

function readAuthority(kubeconfig: string, file: string): string {
  try {
    return readFileSync(file).toString("base64");
  } catch (error) {
    throw new UserError(
      `The certificate authority that ${kubeconfig} names cannot be read: ${(error as Error).message}`,
    );
  }
}
