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
    /** None where the suite is skipped. See `own-cluster.ts` for which of them a test file runs on. */
    clusters: ProvidedCluster[] | undefined;
    /** How many control planes a project asks for in its configuration; one by default. */
    planes: number;
  }
}

/**
 * Boots control planes from `KUBEBUILDER_ASSETS`, or takes the cluster of `KUBECONFIG`; with neither the whole suite
 * is skipped. Binaries come first, because many people have a cluster they care for in `KUBECONFIG`.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { KUBEBUILDER_ASSETS: assets, KUBECONFIG: kubeconfig } = process.env;
  if (assets) {
    const { planes: count = 1 } = project.config.provide;
    const enableAdmission = ["OwnerReferencesPermissionEnforcement", "PodNodeSelector"];
    const planes = await Promise.all(
      Array.from({ length: count }, () => startControlPlane(assets, { enableAdmission })),
    );
    project.provide(
      "clusters",
      planes.map(({ stop: _, ...plane }) => ({ ...plane, assets })),
    );
    return async () => {
      await Promise.all(planes.map(({ stop }) => stop()));
    };
  }
  project.provide("clusters", kubeconfig ? [{ kubeconfig, hasControllers: true, hasScheduler: true }] : []);
  if (!kubeconfig)
    console.log(
      "The cluster suite is skipped: set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver, or KUBECONFIG.",
    );
  return undefined;
}
