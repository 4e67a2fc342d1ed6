export interface Taint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: string;
}

export interface Toleration {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly value?: string | undefined;
  readonly effect?: string | undefined;
}

/**
 * Whether a toleration covers a taint: an empty effect covers all effects, an empty key with `Exists` all keys. How
 * long (`tolerationSeconds`) does not matter here: a satellite stays as long as it is tolerated at all.
 */
export function tolerates({ key, operator = "Equal", value = "", effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return Boolean(key) && operator === "Equal" && value === (taint.value ?? "");
}

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
