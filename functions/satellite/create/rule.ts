import { z } from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Node } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { on, rule } from "../../../shared/rule.ts";
import { isObject } from "../../../shared/subject.ts";
import { labelled, resync } from "../../../shared/sweep.ts";
import type { ConfiguredCluster, ConfiguredSatellite } from "../lib/configuration/configured-satellite.ts";
import { type Configuration, type Merged, mergeConfigurations } from "../lib/configuration/merge.ts";
import { appliedKey, ownerReferenceTo, wantedSpec } from "../lib/configuration/wanted-spec.ts";
import { LinstorCluster, LinstorSatellite, LinstorSatelliteConfiguration } from "../lib/kinds.ts";
import { admissionPolicy, candidateOf, changedLabel } from "../lib/matching/candidate.ts";
import { placementProblem } from "../lib/matching/placement-problem.ts";
import { placementWarnings } from "../lib/matching/placement-warnings.ts";
import { satelliteWanted } from "../lib/matching/satellite-wanted.ts";
import { nodeDigest, nodeDigestKey } from "../lib/node-digest.ts";
import { foreignLifecycle, ofCluster, satelliteFinalizer } from "../lib/satellite.ts";

const name = "satellite/create";

/** A Node with its LinstorSatellite. */
interface Placed {
  readonly node: KubernetesObject;
  readonly satellite: ConfiguredSatellite | undefined;
}

/**
 * Nodes without a LinstorSatellite, whose satellite does not say how they are now, or that carry the label of those
 * that have changed; and what decides about them.
 */
export interface Facts {
  readonly nodes: readonly Placed[];
  readonly clusters: readonly ConfiguredCluster[];
  readonly configurations: readonly Configuration[];
}

export const createSatellite = rule({
  name,
  doc:
    "Creates a LinstorSatellite for each Node that a LinstorCluster selects and whose taints it tolerates, " +
    "and passes changes of Nodes on to the functions of satellites.",
  settings: z.object({}),
  triggers: [on(Node, ["add", "update"]), on(LinstorCluster, ["add", "update"]), on(LinstorSatellite, ["delete"])],
  permissions: [
    { resource: Node, verbs: ["get", "list"], why: "to find Nodes without a satellite, and Nodes that have changed" },
    { resource: LinstorCluster, verbs: ["list"], why: "to see which LinstorCluster selects the Node" },
    {
      resource: LinstorSatelliteConfiguration,
      verbs: ["list"],
      why: "to give a new satellite the spec that its configurations say",
    },
    {
      resource: LinstorSatellite,
      verbs: ["get", "list", "patch"],
      why: "to see which Nodes have a satellite, and to note on it that its Node has changed",
      writes: { annotations: [nodeDigestKey] },
    },
    {
      resource: LinstorSatellite,
      verbs: ["create"],
      why: "to create the satellite of a Node",
      writes: {
        annotations: [appliedKey, nodeDigestKey],
        labels: ["app.kubernetes.io/managed-by"],
        finalizers: [satelliteFinalizer],
        ownerReferences: [LinstorCluster.kind],
      },
      bounds: [
        {
          on: ["create"],
          says: "creates LinstorSatellites of a LinstorCluster",
          cel: ofCluster("object"),
        },
      ],
    },
    {
      resource: Node,
      verbs: ["patch"],
      overlay: admissionPolicy,
      writes: { labels: [changedLabel] },
      why: "to remove the label that the admission policy sets on a changed Node",
    },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record that a LinstorCluster is not valid and gets no satellites, and to delete that Event",
    },
  ],
  sweep: [resync(LinstorCluster), labelled(Node, changedLabel)],
  // Each kubelet writes its Node's status every five minutes: one Node is looked at for one Node's event, by two reads.
  subjects: ({ kind, name }) => (kind === LinstorCluster.kind ? [{ kind: Node }] : [{ kind: Node, name }]),
  look: async (subject, { client }): Promise<Facts> => {
    const placed = isObject(subject) ? await lookAtOne(client, subject.name) : await lookAtAll(client);
    const nodes = placed.filter((one) => !isNoted(one) || isMarked(one.node));
    if (nodes.every(isNoted)) return { nodes, clusters: [], configurations: [] };
    const clusters = await Array.fromAsync(client.list<ConfiguredCluster>(LinstorCluster));
    const configurations = nodes.every(({ satellite }) => satellite)
      ? []
      : await Array.fromAsync(
          client.list<KubernetesObject & { spec?: Configuration["spec"] }>(LinstorSatelliteConfiguration),
        );
    return {
      nodes,
      clusters,
      configurations: configurations.map(({ metadata, spec }) => ({ name: metadata.name, spec: spec ?? {} })),
    };
  },
  decide,
});

// The satellite is read before its Node: of two instances the one that has seen the Node later writes last, because
// the other's write is of a satellite that has changed since.
async function lookAtOne(client: Client, name: string): Promise<readonly Placed[]> {
  const satellite = await client.get<ConfiguredSatellite>(LinstorSatellite, undefined, name);
  const node = await client.get(Node, undefined, name);
  return node ? [{ node, satellite }] : [];
}

async function lookAtAll(client: Client): Promise<readonly Placed[]> {
  const satellites = await Array.fromAsync(client.list<ConfiguredSatellite>(LinstorSatellite));
  const nodes = await Array.fromAsync(client.list(Node));
  const byName = new Map(satellites.map((satellite) => [satellite.metadata.name, satellite]));
  return nodes.map((node) => ({ node, satellite: byName.get(node.metadata.name) }));
}

const isNoted = ({ node, satellite }: Placed) =>
  satellite?.metadata.annotations?.[nodeDigestKey] === nodeDigest(node, satellite?.spec);

const isMarked = ({ metadata }: KubernetesObject) => metadata.labels?.[changedLabel] !== undefined;

function decide(facts: Facts): readonly Decision[] {
  const nodes = facts.nodes.map(({ node, satellite }) => {
    if (isNoted({ node, satellite })) return unmarked(node);
    return withoutMark(node, satellite ? noted(node, satellite, facts) : admitted(node, facts));
  });
  return [...placementWarnings(facts.clusters.filter((cluster) => !isBeingDeleted(cluster))), ...nodes];
}

/** Takes the label off last: as long as it is there, the sweep has the Node looked at again. */
function withoutMark(node: KubernetesObject, decision: Decision): Decision {
  if (!isMarked(node)) return decision;
  return decision.do === "write"
    ? { ...decision, writes: [...decision.writes, ...removeMark(node)] }
    : unmarked(node, decision.message);
}

const unmarked = (
  node: KubernetesObject,
  message = `Node ${node.metadata.name} is unchanged for its LinstorSatellite.`,
) => about(Node, node).write(message, removeMark(node));

/** Guarded by the Node as it was read: what has changed since keeps its label. */
function removeMark({ metadata: { name, uid, resourceVersion } }: KubernetesObject): readonly Write[] {
  const patch = { metadata: { uid, resourceVersion, labels: { [changedLabel]: null } } };
  return [{ verb: "patch", kind: Node, namespace: undefined, name, type: "merge", patch }];
}

/** Hands a change of the Node on: the satellite has an update by it, which triggers those whose business that is. */
function noted(node: KubernetesObject, satellite: ConfiguredSatellite, { clusters }: Facts): Decision {
  const { leave, write } = about(LinstorSatellite, satellite);
  const { clusterRef } = satellite.spec ?? {};
  const unmanagedReason = foreignLifecycle(
    satellite,
    clusters.find(({ metadata }) => metadata.name === clusterRef?.name),
  );
  if (unmanagedReason) return leave(unmanagedReason);
  const message = `Node ${node.metadata.name} has changed: its LinstorSatellite gets the new digest.`;
  return write(message, [annotate(LinstorSatellite, satellite, { [nodeDigestKey]: nodeDigest(node, satellite.spec) })]);
}

function admitted(node: KubernetesObject, { clusters, configurations }: Facts): Decision {
  const candidate = candidateOf(node);
  const { leave, write } = about(Node, node);
  // What an invalid LinstorCluster wants is not known.
  const clear = clusters.filter((one) => !isBeingDeleted(one) && !placementProblem(one.spec ?? {}));
  const cluster = clear.find(({ spec }) => satelliteWanted(candidate, spec ?? {}, "has none").wanted);
  const { name } = candidate;
  if (isBeingDeleted(node) || !cluster) return leave(`Node ${name} must not have a satellite now.`);
  const merged = mergeConfigurations(configurations, candidate);
  const message = `Node ${name} matches LinstorCluster ${cluster.metadata.name}, and gets a LinstorSatellite.`;
  return write(message, [created(node, cluster, merged)]);
}

/** A create, which fails where one has come meanwhile: an apply would bring a satellite back that is being deleted. */
function created(node: KubernetesObject, cluster: ConfiguredCluster, merged: Merged): Write {
  const spec = wantedSpec(cluster, merged);
  const digest = nodeDigest(node, spec as ConfiguredSatellite["spec"]);
  const metadata = {
    name: node.metadata.name,
    labels: { "app.kubernetes.io/managed-by": "holdfast" },
    annotations: { [appliedKey]: merged.applied.join(","), [nodeDigestKey]: digest },
    finalizers: [satelliteFinalizer],
    ownerReferences: [ownerReferenceTo(cluster)],
  } as unknown as KubernetesObject["metadata"];
  const { apiVersion, kind } = LinstorSatellite;
  const object = { apiVersion, kind, metadata, spec };
  return { verb: "create", kind: LinstorSatellite, object };
}
