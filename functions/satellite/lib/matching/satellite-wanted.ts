import { type Labelled, matchesAffinity, matchesLabels, type NodeSelector } from "./node-selector.ts";
import { defaultTolerations, type Taint, type Toleration, tolerates } from "./toleration.ts";

/** Where a LinstorCluster wants satellites. */
export interface Placement {
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly nodeAffinity?: NodeSelector | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
}

export interface Candidate extends Labelled {
  readonly taints: readonly Taint[];
}

/** `because` says of an unwanted one why; it follows "The Node". */
export type Wanted = { readonly wanted: true } | { readonly wanted: false; readonly because: string };

/**
 * Whether a Node is to have a satellite. A taint with NoSchedule keeps one from being created and does not touch one
 * that there is; NoExecute removes it, too; PreferNoSchedule never matters.
 */
export function satelliteWanted(node: Candidate, placement: Placement, has: "has one" | "has none"): Wanted {
  if (!matchesLabels(placement.nodeSelector, node))
    return unwanted("does not match the nodeSelector of the LinstorCluster");
  if (!matchesAffinity(placement.nodeAffinity, node)) return unwanted("does not match its nodeAffinity");
  const { tolerations = [] } = placement;
  const against = untoleratedTaints(node.taints, has).find(
    (taint) => !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
  if (!against) return { wanted: true };
  const { key, value, effect } = against;
  return unwanted(
    `has the taint ${key}${value ? `=${value}` : ""}:${effect}, which the LinstorCluster does not tolerate`,
  );
}

/** The taints of a Node that count against a satellite, unless the LinstorCluster itself tolerates them. */
export function untoleratedTaints(taints: readonly Taint[], has: "has one" | "has none"): readonly Taint[] {
  const effects = has === "has one" ? ["NoExecute"] : ["NoExecute", "NoSchedule"];
  return taints.filter(
    (taint) => effects.includes(taint.effect) && !defaultTolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

const unwanted = (because: string): Wanted => ({ wanted: false, because });
