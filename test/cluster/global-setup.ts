import type { TestProject } from "vitest/node";
import { startControlPlane } from "./control-plane.ts";

/** The cluster that the suite runs on, as its test files see it. */
export interface ProvidedCluster {
  kubeconfig: string;
  /** Absent where the cluster is not ours. */
  etcd?: string;
  /** Folder of the binaries, for further control planes. Absent where the cluster is not ours. */
  assets?: string;
  /** Whether controllers collect garbage, bind claims and protect what is in use. */
  hasControllers: boolean;
  hasScheduler: boolean;
}

declare module "vitest" {
  export interface ProvidedContext {
    cluster: ProvidedCluster | undefined;
  }
}

/**
 * Boots a control plane from `KUBEBUILDER_ASSETS`, or takes the cluster of `KUBECONFIG`; with neither the whole suite
 * is skipped. Binaries come first, because many people have a cluster they care for in `KUBECONFIG`.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { KUBEBUILDER_ASSETS: assets, KUBECONFIG: kubeconfig } = process.env;
  if (assets) {
    const { stop, ...plane } = await startControlPlane(assets, {
      enableAdmission: ["OwnerReferencesPermissionEnforcement", "PodNodeSelector"],
    });
    project.provide("cluster", { ...plane, assets });
    passOn(plane);
    return stop;
  }
  const cluster = kubeconfig ? { kubeconfig, hasControllers: true, hasScheduler: true } : undefined;
  project.provide("cluster", cluster);
  if (cluster) passOn(cluster);
  else
    console.log(
      "The cluster suite is skipped: set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver, or KUBECONFIG.",
    );
  return undefined;
}

/** The scenarios of controllers find their cluster in the environment: see `local/controllers/testing/world.ts`. */
function passOn({ kubeconfig, hasControllers }: ProvidedCluster): void {
  process.env.HOLDFAST_CLUSTER = kubeconfig;
  process.env.HOLDFAST_CONTROLLERS = hasControllers ? "theirs" : "ours";
}
