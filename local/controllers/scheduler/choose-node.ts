import { hasLabels } from "../../../shared/kubernetes/label-selector.ts";
import { matchesNodeSelector } from "../../../shared/kubernetes/node-selector.ts";
import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import { findToleration } from "../../../shared/kubernetes/toleration.ts";
import { isReady, type NodeObject } from "../objects/node.ts";
import type { PodObject } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";
import { selectedNode } from "../volume-binder/annotations.ts";
import { findVolume } from "../volume-binder/match-volume.ts";
import { checkClaims, type PodClaims, type SchedulerCaches } from "./check-claims.ts";

/** What became of a look at one pod. */
export type Choice =
  | { node: NodeObject; claims: PodClaims }
  /** No node will do: why, and what may change that. */
  | { message: string; awaits: Awaited };

/** The pod's claims; nodes, volumes and classes; or these and the end of other pods. */
export type Awaited = "claims" | "nodes" | "room";

/** Chooses the node with the fewest pods of those that will do, by name among equals. */
export function chooseNode(pod: PodObject, caches: SchedulerCaches, podsOn: ReadonlyMap<string, number>): Choice {
  const nodes = caches.nodes.list();
  if (!nodes.length) return { message: "no nodes available to schedule pods", awaits: "nodes" };
  const all = `0/${nodes.length} nodes are available:`;

  const unknown = unknownConstraint(pod);
  if (unknown) return { message: `${all} this scheduler does not know ${unknown}.`, awaits: "nodes" };
  const claims = checkClaims(pod, caches);
  if (typeof claims === "string") return { message: `${all} ${claims}.`, awaits: "claims" };

  const checked = nodes.map((node) => ({
    node,
    problem: checkNode(pod, claims, node, podsOn.get(node.metadata.name) ?? 0, caches),
  }));
  const chosen = [...claims.bound, ...claims.unbound].map(({ metadata }) => metadata.annotations?.[selectedNode]);
  const best = checked
    .filter(({ problem }) => problem === undefined)
    .map(({ node }) => node)
    .sort((a, b) => rank(a) - rank(b) || a.metadata.name.localeCompare(b.metadata.name))[0];
  if (best) return { node: best, claims };
  const problems = checked.flatMap(({ problem }) => problem ?? []);
  return { message: `${all} ${histogram(problems)}.`, awaits: problems.includes(full) ? "room" : "nodes" };

  /** Where a volume was made for this pod comes first. */
  function rank({ metadata: { name } }: NodeObject): number {
    return chosen.includes(name) ? -1 : (podsOn.get(name) ?? 0);
  }
}

/** What a pod may demand that would silently be broken here. */
function unknownConstraint({ spec }: PodObject): string | undefined {
  const { affinity = {}, topologySpreadConstraints = [], resourceClaims = [] } = spec;
  for (const kind of ["podAffinity", "podAntiAffinity"]) {
    const rules = affinity[kind] as { requiredDuringSchedulingIgnoredDuringExecution?: unknown[] } | undefined;
    if (rules?.requiredDuringSchedulingIgnoredDuringExecution?.length) return `spec.affinity.${kind}`;
  }
  const spread = topologySpreadConstraints as { whenUnsatisfiable?: string }[];
  if (spread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule")) {
    return "spec.topologySpreadConstraints";
  }
  return (resourceClaims as unknown[]).length ? "spec.resourceClaims" : undefined;
}

function histogram(problems: readonly string[]): string {
  return [...Map.groupBy(problems, (problem) => problem)]
    .map(([problem, all]) => `${all.length} ${problem}`)
    .sort()
    .join(", ");
}

/** The node takes no more pods. */
const full = "Too many pods";

/** Says why a pod cannot be on a node, in the scheduler's words; `undefined` when it can. */
function checkNode(
  pod: PodObject,
  claims: PodClaims,
  node: NodeObject,
  podsOnNode: number,
  caches: SchedulerCaches,
): string | undefined {
  const { tolerations, nodeSelector, affinity } = pod.spec;
  const cordoned = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" } as const;
  if (node.spec?.unschedulable && !findToleration(tolerations, cordoned)) return "node(s) were unschedulable";
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect !== "PreferNoSchedule");
  // Here no controller taints a node that is not ready.
  if (!isReady(node)) taints.push({ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" });
  if (taints.some((taint) => !findToleration(tolerations, taint))) return "node(s) had untolerated taint(s)";
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!hasLabels(nodeSelector, node.metadata.labels ?? {}) || !matchesNodeSelector(required, node.metadata))
    return "node(s) didn't match Pod's node affinity/selector";
  if (podsOnNode >= quantityValue(node.status?.allocatable?.pods ?? "110")) return full;
  return checkVolumes(claims, node, caches);
}

function checkVolumes({ bound, unbound }: PodClaims, node: NodeObject, caches: SchedulerCaches): string | undefined {
  for (const { spec } of bound) {
    const volume = caches.volumes.get(undefined, spec.volumeName ?? "");
    if (!volume) return "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    const required = volume.spec.nodeAffinity?.required;
    if (!matchesNodeSelector(required, node.metadata)) return "node(s) didn't match PersistentVolume's node affinity";
  }
  const served = unbound.every((claim) => canGetVolume(claim, node, caches));
  return served ? undefined : "node(s) didn't find available persistent volumes to bind";
}

function canGetVolume(claim: ClaimObject, node: NodeObject, caches: SchedulerCaches): boolean {
  const chosen = claim.metadata.annotations?.[selectedNode];
  if (chosen) return chosen === node.metadata.name;
  if (findVolume(claim, caches.volumes.list(), { node })) return true;
  const storageClass = caches.classes.get(undefined, claim.spec.storageClassName ?? "");
  return storageClass !== undefined && storageClass.provisioner !== "kubernetes.io/no-provisioner";
}
