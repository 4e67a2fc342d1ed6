import { hasLabels, type Labels } from "../../../../shared/kubernetes/label-selector.ts";
import { type Labelled, matchesNodeSelector, type NodeSelector } from "../../../../shared/kubernetes/node-selector.ts";
import { findToleration, type Taint, type Toleration } from "../../../../shared/kubernetes/toleration.ts";

/** Where a LinstorCluster wants satellites. */
export interface Placement {
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly nodeAffinity?: NodeSelector | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
}

export interface Candidate extends Labelled {
  readonly labels: Labels;
  readonly taints: readonly Taint[];
}

/** `message` says of an unwanted one why; it follows "The Node". */
export type Wanted = { readonly wanted: true } | { readonly wanted: false; readonly message: string };

/**
 * Whether a Node is to have a satellite. A taint with NoSchedule keeps one from being created and does not touch one
 * that there is; NoExecute removes it, too; PreferNoSchedule never matters.
 */
export function satelliteWanted(node: Candidate, placement: Placement, has: "has one" | "has none"): Wanted {
  if (!hasLabels(placement.nodeSelector, node.labels))
    return unwanted("does not match the nodeSelector of the LinstorCluster");
  if (!matchesNodeSelector(placement.nodeAffinity, node)) return unwanted("does not match its nodeAffinity");
  const { tolerations = [] } = placement;
  const against = untoleratedTaints(node.taints, has).find((taint) => !findToleration(tolerations, taint));
  if (!against) return { wanted: true };
  const { key, value, effect } = against;
  return unwanted(
    `has the taint ${key}${value ? `=${value}` : ""}:${effect}, which the LinstorCluster does not tolerate`,
  );
}

/** The taints of a Node that count against a satellite, unless the LinstorCluster itself tolerates them. */
export function untoleratedTaints(taints: readonly Taint[], has: "has one" | "has none"): readonly Taint[] {
  const effects = has === "has one" ? ["NoExecute"] : ["NoExecute", "NoSchedule"];
  return taints.filter((taint) => effects.includes(taint.effect) && !findToleration(defaultTolerations, taint));
}

const unwanted = (message: string): Wanted => ({ wanted: false, message });

/**
 * What every satellite tolerates besides the LinstorCluster's own: what the DaemonSet controller adds to every
 * DaemonSet, and the taints by which the LINSTOR High Availability Controller marks Nodes with failed volumes.
 */
const defaultTolerations: readonly Toleration[] = [
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
