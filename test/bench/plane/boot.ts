import { existsSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { type Client, createClient } from "../../../shared/kubernetes/client.ts";
import { kubeconfigTransport } from "../../../shared/kubernetes/kubeconfig-transport.ts";
import type { Transport } from "../../../shared/kubernetes/transport.ts";
import { startControlPlane } from "../../cluster/control-plane.ts";

/** An API server of Kubernetes for one run, with nobody at work on it. */
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
 * Boots etcd and kube-apiserver from the folder that `KUBEBUILDER_ASSETS` names; the bench decides which controllers run,
 * and when. Says so and answers `undefined` where there is no such folder.
 */
export async function bootPlane(): Promise<Plane | undefined> {
  const { KUBEBUILDER_ASSETS: assets } = process.env;
  if (!assets) {
    console.log("Skipped: set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver.");
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), "holdfast-bench-assets-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  for (const name of ["etcd", "kube-apiserver"]) await symlink(join(assets, name), join(folder, name));
  const plane = await startControlPlane(folder).catch(async (error) => {
    await remove();
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
      await remove();
    },
  };
}
