import type { Toleration } from "../../../../shared/kubernetes/toleration.ts";

/**
 * What every satellite tolerates besides the LinstorCluster's own: what the DaemonSet controller adds to every
 * DaemonSet, and the taints by which the LINSTOR High Availability Controller marks Nodes with failed volumes.
 */
export const defaultTolerations: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/network-unavailable", operator: "Exists", effect: "NoSchedule" },
  { key: "drbd.linbit.com/lost-quorum", operator: "Exists" },
  { key: "drbd.linbit.com/force-io-error", operator: "Exists" },
];
