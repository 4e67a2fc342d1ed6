import { ownCluster } from "./own-cluster.ts";

// The scenarios of controllers find their cluster in the environment: see `local/controllers/testing/world.ts`.
if (ownCluster) {
  process.env.HOLDFAST_CLUSTER = ownCluster.kubeconfig;
  process.env.HOLDFAST_CONTROLLERS = ownCluster.hasControllers ? "theirs" : "ours";
}
