import type { OutageTarget } from "../../harness/faults/outage.ts";
import type { System } from "../system.ts";
import { invariants } from "./invariants.ts";
import { simulatedLinstor } from "./linstor.ts";
import { liveness } from "./liveness.ts";
import { mutants } from "./mutants.ts";
import { scenarios } from "./scenarios.ts";
import { end, sequence } from "./sequence.ts";
import { workload } from "./workload.ts";

/** Machines and Clusters, as a management cluster of its own serves them. */
const managementCluster: OutageTarget = {
  name: "Cluster API",
  takes: (path) => path.startsWith("/apis/cluster.x-k8s.io"),
};

export const satellite: System = {
  name: "satellite",
  scenarios,
  invariants,
  liveness,
  workload,
  mutants,
  sequence,
  end,
  outside: simulatedLinstor,
  otherClusters: [managementCluster],
  kinds: ["LinstorSatellite", "LinstorCluster", "Machine", "Cluster", "Node", "PersistentVolume", "VolumeAttachment"],
  // LINSTOR is asked again every ten seconds, and an evacuation that has met a fault begins its longest wait again.
  sweeps: 15,
  // Seventeen functions look at each satellite, and where much goes wrong each has events dead-lettered on it.
  writesAtFirst: 200,
};
