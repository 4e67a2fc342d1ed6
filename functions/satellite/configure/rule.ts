import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { type Condition, setCondition } from "../../../shared/kubernetes/condition.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Node } from "../../../shared/kubernetes/kind.ts";
import { hasLabels } from "../../../shared/kubernetes/label-selector.ts";
import type { Labelled } from "../../../shared/kubernetes/node-selector.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { on, rule } from "../../../shared/rule.ts";
import { normal } from "../../../shared/steps.ts";
import { isObject } from "../../../shared/subject.ts";
import { resync } from "../../../shared/sweep.ts";
import type { ConfiguredCluster, ConfiguredSatellite } from "../lib/configuration/configured-satellite.ts";
import { appliedTo, type Configuration, mergeConfigurations } from "../lib/configuration/merge.ts";
import { mergePatchTo } from "../lib/configuration/merge-patch.ts";
import { affinityProblem, contentProblems } from "../lib/configuration/problems.ts";
import { appliedKey, ownFields, wantedSpec } from "../lib/configuration/wanted-spec.ts";
import { LinstorCluster, LinstorSatellite, LinstorSatelliteConfiguration } from "../lib/kinds.ts";
import { candidateOf } from "../lib/matching/candidate.ts";
import { satelliteWanted } from "../lib/matching/satellite-wanted.ts";
import { foreignLifecycle, ownerOf } from "../lib/satellite.ts";

const name = "satellite/configure";

type ConfigurationObject = KubernetesObject & {
  readonly spec?: Configuration["spec"];
  readonly status?: { conditions?: readonly Condition[]; appliedTo?: readonly string[]; matched?: number };
};

/** A satellite with its Node. */
interface Placed {
  readonly satellite: ConfiguredSatellite;
  readonly node: KubernetesObject | undefined;
}

export interface Facts {
  readonly satellites: readonly Placed[];
  readonly clusters: readonly ConfiguredCluster[];
  readonly configurations: readonly ConfigurationObject[];
  /** Whether `satellites` are all that there are, so that the status of a configuration is known. */
  readonly all: boolean;
}

export const configure = rule({
  name,
  doc:
    "Merges the LinstorSatelliteConfigurations that match a Node into the spec of its LinstorSatellite, " +
    "and says in their status where they apply.",
  settings: z.object({}),
  triggers: [
    on(LinstorSatelliteConfiguration, ["add", "update", "delete"]),
    on(LinstorCluster, ["update"]),
    on(LinstorSatellite, ["add", "update", "delete"]),
  ],
  permissions: [
    { resource: Node, verbs: ["get", "list"], why: "to see which configurations match the labels of each Node" },
    {
      resource: LinstorCluster,
      verbs: ["list"],
      why: "to see whether a LinstorCluster still wants the satellite, and what it sets",
    },
    {
      resource: LinstorSatelliteConfiguration,
      verbs: ["list"],
      why: "to read the configurations that are merged into satellites",
    },
    {
      resource: LinstorSatelliteConfiguration,
      subresource: "status",
      verbs: ["patch"],
      writes: { conditions: ["Applied"], fields: ["status.appliedTo", "status.matched"] },
      why: "to show which satellites it is applied to, and whether it is valid",
    },
    {
      resource: LinstorSatellite,
      verbs: ["get", "list", "patch"],
      why: "to write what its configurations say into the spec of the satellite",
      writes: { annotations: [appliedKey], fields: ownFields.map((field) => `spec.${field}`) },
    },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record on the satellite which configurations it got, in place of an older Event",
    },
  ],
  sweep: [resync(LinstorSatelliteConfiguration), resync(LinstorSatellite)],
  // One satellite changes often, also with its Node, and is looked at alone.
  subjects: ({ kind, name, change }) =>
    kind === LinstorSatellite.kind && change !== "delete"
      ? [{ kind: LinstorSatellite, name }]
      : [{ kind: LinstorSatellite }],
  look: async (subject, { client }): Promise<Facts> => {
    if (isObject(subject)) {
      const satellites = await lookAtOne(client, subject.name);
      const rules = await lookAtRules(client);
      if (!satellites.some((one) => isStatusOutdated(one, rules.configurations)))
        return { satellites, ...rules, all: false };
    }
    const satellites = await lookAtAll(client);
    return { satellites, ...(await lookAtRules(client)), all: true };
  },
  decide,
});

// The satellites are read before all that decides about them: of two instances the one that has seen the configurations
// later writes last, because the other's write is of a satellite that has changed since. An older deletion policy must
// not come back, not even for a moment. The status of a configuration may: the write of it triggers another look.
async function lookAtOne(client: Client, name: string): Promise<readonly Placed[]> {
  const satellite = await client.get<ConfiguredSatellite>(LinstorSatellite, undefined, name);
  return satellite ? [{ satellite, node: await client.get(Node, undefined, name) }] : [];
}

async function lookAtAll(client: Client): Promise<readonly Placed[]> {
  const satellites = await Array.fromAsync(client.list<ConfiguredSatellite>(LinstorSatellite));
  const nodes = await Array.fromAsync(client.list(Node, { leaveOut: ["status.images", "metadata.managedFields"] }));
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  return satellites.map((satellite) => ({ satellite, node: byName.get(satellite.metadata.name) }));
}

async function lookAtRules(client: Client): Promise<Pick<Facts, "clusters" | "configurations">> {
  const [clusters, configurations] = await Promise.all([
    Array.fromAsync(client.list<ConfiguredCluster>(LinstorCluster)),
    Array.fromAsync(client.list<ConfigurationObject>(LinstorSatelliteConfiguration)),
  ]);
  return { clusters, configurations };
}

/** Whether some configuration's status says otherwise of this satellite. */
function isStatusOutdated({ satellite, node }: Placed, configurations: readonly ConfigurationObject[]): boolean {
  const { name } = satellite.metadata;
  return configurations.some((one) => {
    if (affinityProblem(one.spec?.nodeAffinity)) return false;
    const applies = node !== undefined && appliedTo(asConfiguration(one), [candidateOf(node)]).matched > 0;
    return applies !== (one.status?.appliedTo ?? []).includes(name);
  });
}

const asConfiguration = ({ metadata, spec }: ConfigurationObject): Configuration => ({
  name: metadata.name,
  spec: spec ?? {},
});

function decide(facts: Facts, now: number): readonly Decision[] {
  const satellites = facts.satellites.map((placed) => specOf(placed, facts));
  return facts.all ? [...satellites, ...facts.configurations.map((one) => statusOf(one, facts, now))] : satellites;
}

function specOf({ satellite, node }: Placed, { clusters, configurations }: Facts): Decision {
  const { leave, write } = about(LinstorSatellite, satellite);
  const title = `LinstorSatellite ${satellite.metadata.name}`;
  const owner = ownerOf(satellite)?.uid;
  const cluster = clusters.find(({ metadata }) => metadata.uid === owner);
  // One that a person has made by hand is that person's.
  if (!cluster) return leave(`${title} is not a LinstorCluster's.`);
  const unmanagedReason = foreignLifecycle(satellite, cluster);
  if (unmanagedReason) return leave(unmanagedReason);
  // Its policy is to be carried out as it was: labels that go with the Node must not turn Evacuate into something else.
  if (!node || !satelliteWanted(candidateOf(node), cluster.spec ?? {}, "has one").wanted)
    return leave(`${title} keeps its spec, because its Node is gone or is not to have a satellite any more.`);
  const candidate = candidateOf(node);
  const faulty = configurations.find((one) => mayMatch(one, candidate) && problemsOf(one).length > 0);
  if (faulty)
    return leave(
      `${title} keeps its spec until LinstorSatelliteConfiguration ${faulty.metadata.name} is corrected: ` +
        problemsOf(faulty).join(" "),
    );
  const merged = mergeConfigurations(configurations.filter(isLiving).map(asConfiguration), candidate);
  const own = Object.entries(satellite.spec ?? {}).filter(([field]) => ownFields.includes(field));
  const spec = mergePatchTo(Object.fromEntries(own), wantedSpec(cluster, merged));
  const applied = merged.applied.join(",");
  if (!spec && satellite.metadata.annotations?.[appliedKey] === applied)
    return leave(`${title} is as its configurations say.`);
  const { name: satelliteName, uid, resourceVersion } = satellite.metadata;
  const metadata = { uid, resourceVersion, annotations: { [appliedKey]: applied } };
  const message =
    `${title} gets the spec of ${applied || "no configuration"}, with the deletion policy ` +
    `${merged.spec.deletionPolicy}.`;
  const patch = { metadata, ...(spec ? { spec } : {}) };
  return write(
    message,
    [{ verb: "patch", kind: LinstorSatellite, namespace: undefined, name: satelliteName, type: "merge", patch }],
    { event: normal("Configured") },
  );
}

/** One that is being deleted waits for another program's finalizer, and shows nothing any more. */
const isLiving = (one: ConfigurationObject) => !isBeingDeleted(one);

/** Whether it cannot be ruled out that it is meant for the Node. */
const mayMatch = (one: ConfigurationObject, node: Labelled) =>
  isLiving(one) &&
  hasLabels(one.spec?.nodeSelector, node.labels) &&
  (affinityProblem(one.spec?.nodeAffinity) !== undefined || appliedTo(asConfiguration(one), [node]).matched > 0);

function problemsOf({ spec = {} }: ConfigurationObject): readonly string[] {
  const affinity = affinityProblem(spec.nodeAffinity);
  return [...(affinity ? [affinity] : []), ...contentProblems(spec)];
}

/** What its status says: where it applies, or what to mend. */
function statusOf(one: ConfigurationObject, { satellites }: Facts, now: number): Decision {
  const { leave, write } = about(LinstorSatelliteConfiguration, one);
  const { name: own, uid, resourceVersion, generation } = one.metadata;
  const title = `LinstorSatelliteConfiguration ${own}`;
  const problems = problemsOf(one);
  const { status = {} } = one;
  const nodes = satellites.flatMap(({ node }) => (node ? [candidateOf(node)] : []));
  const applies = affinityProblem(one.spec?.nodeAffinity)
    ? { appliedTo: status.appliedTo ?? [], matched: status.matched ?? 0 }
    : appliedTo(asConfiguration(one), nodes);
  const message =
    problems.length > 0
      ? `Error: ${problems.join(" ")} Satellites on its Nodes keep what they have until it is corrected.`
      : `The configuration applies to ${applies.matched} satellite${applies.matched === 1 ? "" : "s"}.`;
  const condition = {
    type: "Applied",
    status: problems.length > 0 ? ("False" as const) : ("True" as const),
    reason: problems.length > 0 ? "Error" : "AsExpected",
    message,
  };
  const conditions = setCondition(status.conditions ?? [], condition, now).map((entry) =>
    entry.type === condition.type && generation !== undefined ? { ...entry, observedGeneration: generation } : entry,
  );
  if (isDeepStrictEqual({ ...status, ...applies, conditions }, status)) return leave(`${title} says where it applies.`);
  const patch = { metadata: { uid, resourceVersion }, status: { ...applies, conditions } };
  const options = { subresource: "status" };
  return write(`${title}: ${message}`, [
    {
      verb: "patch",
      kind: LinstorSatelliteConfiguration,
      namespace: undefined,
      name: own,
      type: "merge",
      patch,
      options,
    },
  ]);
}
