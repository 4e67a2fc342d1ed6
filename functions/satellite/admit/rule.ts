import { z } from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { on, rule } from "../../../shared/rule.ts";
import { isObject } from "../../../shared/subject.ts";
import { resync } from "../../../shared/sweep.ts";
import { type Configuration, type Merged, mergeConfigurations } from "../lib/configuration/merge.ts";
import { appliedKey, ownerReferenceTo, wantedSpec } from "../lib/configuration/wanted-spec.ts";
import { LinstorCluster, LinstorSatellite, LinstorSatelliteConfiguration } from "../lib/kinds.ts";
import { candidateOf } from "../lib/matching/candidate.ts";
import { satelliteWanted } from "../lib/matching/satellite-wanted.ts";
import { type LinstorClusterObject, satelliteFinalizer } from "../lib/satellite.ts";

const name = "satellite/admit";

/** Nodes without a LinstorSatellite, and what decides whether they get one. */
export interface Facts {
  readonly nodes: readonly KubernetesObject[];
  readonly clusters: readonly LinstorClusterObject[];
  readonly configurations: readonly Configuration[];
}

export const admit = rule({
  name,
  doc: "Creates a LinstorSatellite for each Node that a LinstorCluster selects and whose taints it tolerates.",
  settings: z.object({}),
  wakes: [on(Node, ["add", "update"]), on(LinstorCluster, ["add", "update"]), on(LinstorSatellite, ["delete"])],
  may: [
    { resource: Node, verbs: ["get", "list"] },
    { resource: LinstorCluster, verbs: ["list"] },
    { resource: LinstorSatelliteConfiguration, verbs: ["list"] },
    { resource: LinstorSatellite, verbs: ["list", "create"] },
  ],
  sweep: [resync(LinstorCluster)],
  // What a Node says is small, and its changes are frequent: one Node is looked at for one Node's event.
  subjects: ({ kind, name }) => (kind === LinstorCluster.kind ? [{ kind: Node }] : [{ kind: Node, name }]),
  look: async (subject, { client }): Promise<Facts> => {
    const has = new Set<string>();
    for await (const { metadata } of client.list(LinstorSatellite, { metadataOnly: true })) has.add(metadata.name);
    if (isObject(subject) && has.has(subject.name)) return { nodes: [], clusters: [], configurations: [] };
    const one = isObject(subject) ? await client.get(Node, undefined, subject.name) : undefined;
    const nodes = isObject(subject) ? (one ? [one] : []) : await Array.fromAsync(client.list(Node));
    const clusters = await Array.fromAsync(client.list<LinstorClusterObject>(LinstorCluster));
    const configurations = await Array.fromAsync(
      client.list<KubernetesObject & { spec?: Configuration["spec"] }>(LinstorSatelliteConfiguration),
    );
    return {
      nodes: nodes.filter(({ metadata }) => !has.has(metadata.name)),
      clusters,
      configurations: configurations.map(({ metadata, spec }) => ({ name: metadata.name, spec: spec ?? {} })),
    };
  },
  decide,
});

function decide({ nodes, clusters, configurations }: Facts): readonly Decision[] {
  return nodes.flatMap((node): readonly Decision[] => {
    const candidate = candidateOf(node);
    const { leave, write } = about(Node, node);
    const alive = clusters.filter((cluster) => !isBeingDeleted(cluster));
    const cluster = alive.find(({ spec }) => satelliteWanted(candidate, spec ?? {}, "has none").wanted);
    const { name } = candidate;
    if (isBeingDeleted(node) || !cluster) return [leave(`Node ${name} is not to have a satellite now.`)];
    const merged = mergeConfigurations(configurations, candidate);
    const because = `Node ${name} matches LinstorCluster ${cluster.metadata.name}, and gets a LinstorSatellite.`;
    return [write(because, [created(name, cluster, merged)])];
  });
}

/** A create, which fails where one has come meanwhile: an apply would bring a satellite back that is being deleted. */
function created(name: string, cluster: LinstorClusterObject, merged: Merged): Write {
  const metadata = {
    name,
    labels: { "app.kubernetes.io/managed-by": "holdfast" },
    annotations: { [appliedKey]: merged.applied.join(",") },
    finalizers: [satelliteFinalizer],
    ownerReferences: [ownerReferenceTo(cluster)],
  } as unknown as KubernetesObject["metadata"];
  const { apiVersion, kind } = LinstorSatellite;
  const object = { apiVersion, kind, metadata, spec: wantedSpec(cluster, merged) };
  return { verb: "create", kind: LinstorSatellite, object };
}
