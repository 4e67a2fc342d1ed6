import type { NodeObject } from "../objects/node.ts";
import type { PodObject } from "../objects/pod.ts";
import { selectedNode } from "../volume-binder/annotations.ts";
import type { SchedulerCaches } from "./caches.ts";
import { checkClaims, type PodClaims } from "./check-claims.ts";
import { checkNode, full } from "./check-node.ts";

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
  const counts = new Map<string, number>();
  for (const problem of problems) counts.set(problem, (counts.get(problem) ?? 0) + 1);
  return [...counts]
    .map(([problem, count]) => `${count} ${problem}`)
    .sort()
    .join(", ");
}
