import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { temporaryFolder } from "../../shared/command/temporary-folder.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import { startControlPlane } from "../../test/cluster/control-plane.ts";

/** An API server of Kubernetes for one run, with no controller at work on it. */
export interface Plane {
  readonly admin: Client;
  readonly transport: Transport;
  /** The administrator's. */
  readonly kubeconfig: string;
  readonly port: number;
  /** The file of a further binary; `undefined` where there is none. */
  binary(name: string): string | undefined;
  stop(): Promise<void>;
}

/**
 * Boots etcd and kube-apiserver from a folder, by default that which `KUBEBUILDER_ASSETS` names; the bench decides
 * which controllers run, and when. Says so and returns `undefined` where there is no such folder.
 */
export async function bootPlane(assets = process.env.KUBEBUILDER_ASSETS): Promise<Plane | undefined> {
  if (!assets) {
    console.log("Skipped: set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver.");
    return undefined;
  }
  const temporary = temporaryFolder("bench-assets");
  const folder = temporary.path;
  for (const name of ["etcd", "kube-apiserver"]) await symlink(join(assets, name), join(folder, name));
  const plane = await startControlPlane(folder).catch((error) => {
    temporary[Symbol.dispose]();
    throw error;
  });
  const { kubeconfig } = plane;
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const transport = kubeconfigTransport(kubeconfig);
  return {
    admin: createClient(transport),
    transport,
    kubeconfig,
    port: Number(new URL(config.getCurrentCluster()?.server ?? "").port),
    binary: (name) => (existsSync(join(assets, name)) ? join(assets, name) : undefined),
    async stop() {
      await plane.stop();
      temporary[Symbol.dispose]();
    },
  };
}
