import { z } from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Node } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { lookAtEach, wholeOr } from "../../../shared/look-at-each.ts";
import { on, rule } from "../../../shared/rule.ts";
import { normal } from "../../../shared/steps.ts";
import { isObject } from "../../../shared/subject.ts";
import { resync } from "../../../shared/sweep.ts";
import type { ConfiguredCluster, ConfiguredSatellite } from "../lib/configuration/configured-satellite.ts";
import { LinstorCluster, LinstorSatellite } from "../lib/kinds.ts";
import { candidateOf } from "../lib/matching/candidate.ts";
import { placementProblem } from "../lib/matching/placement-problem.ts";
import { placementWarnings } from "../lib/matching/placement-warnings.ts";
import { satelliteWanted } from "../lib/matching/satellite-wanted.ts";
import { foreignLifecycle, ofCluster, ownerOf } from "../lib/satellite.ts";

const name = "satellite/delete";

/** A satellite with its Node and the LinstorCluster that owns it. */
interface Owned {
  readonly satellite: ConfiguredSatellite;
  readonly node: KubernetesObject | undefined;
  readonly cluster: ConfiguredCluster | undefined;
}
export type Facts = readonly Owned[];

export const deleteSatellite = rule({
  name,
  doc:
    "Deletes the LinstorSatellite of a Node that is gone, no longer selected, " +
    "or has a NoExecute taint that is not tolerated.",
  settings: z.object({}),
  triggers: [on(Node, ["delete"]), on(LinstorCluster, ["update"]), on(LinstorSatellite, ["add", "update"])],
  permissions: [
    { resource: Node, verbs: ["get"], why: "to see whether the Node of the satellite is gone, or no longer selected" },
    { resource: LinstorCluster, verbs: ["get"], why: "to read which Nodes are to have a satellite" },
    {
      resource: LinstorSatellite,
      verbs: ["get", "list", "delete"],
      why: "to delete the satellite of a Node that is not to have one any more",
      bounds: [{ on: ["delete"], says: "deletes LinstorSatellites of a LinstorCluster", cel: ofCluster("oldObject") }],
    },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record that a satellite is deleted or a LinstorCluster is not valid, and to delete that Event",
    },
  ],
  sweep: [resync(LinstorSatellite)],
  // A change of its Node comes as an update of the satellite; one that leaves is none of this function's business.
  subjects: ({ kind, name, object }) => {
    if (kind === LinstorCluster.kind) return [{ kind: LinstorSatellite }];
    return kind === LinstorSatellite.kind && object && isBeingDeleted(object) ? [] : [{ kind: LinstorSatellite, name }];
  },
  look: async (subject, { client }): Promise<Facts> => {
    const one = isObject(subject)
      ? await client.get<ConfiguredSatellite>(LinstorSatellite, undefined, subject.name)
      : undefined;
    const satellites = isObject(subject)
      ? one
        ? [one]
        : []
      : await Array.fromAsync(client.list<ConfiguredSatellite>(LinstorSatellite));
    const objectOf = ({ metadata: { name } }: ConfiguredSatellite) => ({ kind: LinstorSatellite, name });
    const { looked, failures } = await lookAtEach(satellites, objectOf, async (satellite) => {
      const owner = ownerOf(satellite);
      const [node, cluster] = await Promise.all([
        client.get(Node, undefined, satellite.metadata.name),
        owner ? client.get<ConfiguredCluster>(LinstorCluster, undefined, owner.name) : undefined,
      ]);
      return { satellite, node, cluster: cluster?.metadata.uid === owner?.uid ? cluster : undefined };
    });
    return wholeOr(looked, failures);
  },
  decide,
});

function decide(facts: Facts): readonly Decision[] {
  const clusters = new Map(facts.flatMap(({ cluster }) => (cluster ? [[cluster.metadata.uid, cluster] as const] : [])));
  return [...placementWarnings([...clusters.values()]), ...decideEach(facts)];
}

function decideEach(facts: Facts): readonly Decision[] {
  return facts.map(({ satellite, node, cluster }): Decision => {
    const { leave, write } = about(LinstorSatellite, satellite);
    const title = `LinstorSatellite ${satellite.metadata.name}`;
    if (isBeingDeleted(satellite)) return leave(`${title} is already being deleted.`);
    const unmanagedReason = foreignLifecycle(satellite, cluster);
    if (unmanagedReason) return leave(unmanagedReason);
    // One that a person has made by hand is that person's; where the LinstorCluster is gone, garbage collection has it.
    if (!cluster) return leave(`${title} is not a LinstorCluster's.`);
    const problem = placementProblem(cluster.spec ?? {});
    if (node && problem) return leave(`${title} stays. ${problem}`);
    const wanted = node
      ? satelliteWanted(candidateOf(node), cluster.spec ?? {}, "has one")
      : ({ wanted: false, message: "is gone" } as const);
    if (wanted.wanted) return leave(`${title} is to stay.`);
    const { name, uid, resourceVersion } = satellite.metadata;
    const message = `${title} is deleted, because its Node ${wanted.message}.`;
    const options = { uid, resourceVersion };
    return write(message, [{ verb: "delete", kind: LinstorSatellite, namespace: undefined, name, options }], {
      event: normal("SatelliteRetired"),
    });
  });
}
