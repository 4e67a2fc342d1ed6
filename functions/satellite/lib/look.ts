import type { Client } from "../../../shared/kubernetes/client.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readProgress } from "../../../shared/progress.ts";
import { isObject, type Subject } from "../../../shared/subject.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import { policyOf } from "./configuration/merge.ts";
import { controllerOf, controllerProblem } from "./controller.ts";
import { listed } from "./data/copies.ts";
import type { DataFacts } from "./data/data-facts.ts";
import { millisecondsOf } from "./duration.ts";
import type { EvacuationFacts, Neighbour } from "./evacuation.ts";
import { LinstorCluster, LinstorSatellite, VolumeAttachment } from "./kinds.ts";
import { foreignLifecycle } from "./lifecycle.ts";
import type { Linstor } from "./linstor/client.ts";
import type { LinstorControllers } from "./linstor/controllers.ts";
import type { ResourceDefinition } from "./linstor/definition.ts";
import { keptAnswer } from "./linstor/evacuate-answer.ts";
import { isWitnessed, type LinstorNode, witness } from "./linstor/node.ts";
import { isAnother, movedBecause, noteChange } from "./linstor-note.ts";
import { hooksOn, identityOf, lookAtMachine, type MachineIdentity, type MachineSeen, readIdentity } from "./machine.ts";
import { marksOn } from "./marks.ts";
import { csiDriver } from "./names.ts";
import { damageOf, type EvacuationRecord, readRecord } from "./record.ts";
import { type LinstorClusterObject, type LinstorSatelliteObject, ownerOf, satelliteFinalizer } from "./satellite.ts";
import type { DeletionPolicy } from "./schema/satellite-spec.ts";
import type { Common } from "./settings.ts";
import type { Contender } from "./slots.ts";
import {
  type PersistentVolumeObject,
  resourceOf,
  type VolumeAttachmentObject,
  type VolumeFacts,
  volumeFacts,
} from "./volumes/volume-facts.ts";

/** A satellite with what surrounds it in Kubernetes, read live. */
export interface SatelliteSeen {
  readonly satellite: LinstorSatelliteObject;
  readonly policy: DeletionPolicy;
  readonly cluster: LinstorClusterObject | undefined;
  /**
   * The address of its own LINSTOR as its LinstorCluster names it, with which that is asked and called; `undefined` is
   * LINSTOR_URL.
   */
  readonly controller: string | undefined;
  readonly node: KubernetesObject | undefined;
  /** What the Node says, or what was written down while there was one. */
  readonly identity: MachineIdentity | undefined;
  readonly machine: MachineSeen | undefined;
  readonly record: EvacuationRecord | undefined;
  /** It is evacuated: it or its Machine is being deleted under the policy Evacuate. */
  readonly leaving: boolean;
  /** Why it is left alone, as a sentence. */
  readonly foreign: string | undefined;
}

/** A satellite that is evacuated, with all that the nine steps depend on but the time. */
export interface LeavingSeen extends SatelliteSeen {
  readonly facts: Omit<EvacuationFacts, "now">;
  /** PersistentVolumes that the facts are about, by name. */
  readonly volumes: ReadonlyMap<string, PersistentVolumeObject>;
  /** Who wants to be evacuated, and how many may at a time. */
  readonly contenders: readonly Contender[];
  readonly slots: number;
  /** The annotation that says in which LINSTOR the node is, where it does not say so yet. */
  readonly note: Readonly<Record<string, string>>;
  /** Milliseconds after which to look again for what no event says. */
  readonly again: number;
}

const unread = { leaveOut: ["metadata.managedFields"] };

/**
 * A satellite without what LINSTOR says; `undefined` when it is gone. Whoever asks LINSTOR says so: a satellite of
 * which nobody can say whose it is, is left alone.
 *
 * @throws ApiError
 */
export async function lookAtSatellite(
  client: Client,
  name: string,
  asks?: "asks LINSTOR",
): Promise<SatelliteSeen | undefined> {
  const satellite = await client.get<LinstorSatelliteObject>(LinstorSatellite, undefined, name);
  if (!satellite) return undefined;
  const clusterName = satellite.spec?.clusterRef?.name;
  const [node, cluster] = await Promise.all([
    client.get(Node, undefined, name),
    clusterName ? client.get<LinstorClusterObject>(LinstorCluster, undefined, clusterName) : undefined,
  ]);
  const identity = (node && identityOf(node)) ?? readIdentity(satellite);
  const machine = identity && (await lookAtMachine(client, identity));
  const policy = policyOf(satellite.spec);
  const controller = controllerOf(satellite, cluster);
  const machineLeaves = machine !== undefined && isBeingDeleted(machine.object);
  const leaving = policy === "Evacuate" && (isBeingDeleted(satellite) || machineLeaves);
  // One that is let go without LINSTOR needs no address of it.
  const isLetGo = (leaving || isBeingDeleted(satellite)) && abandonedBecause({ satellite, machine, cluster });
  const problem = asks && !isLetGo ? controllerProblem(satellite, cluster, controller) : undefined;
  return {
    satellite,
    policy,
    cluster,
    controller,
    node,
    identity,
    machine,
    record: readRecord(satellite),
    leaving,
    foreign: foreignLifecycle(satellite, cluster) ?? problem,
  };
}

/** Volumes of LINSTOR's driver that a node has to do with, with their objects. */
export interface VolumesSeen {
  readonly facts: readonly VolumeFacts[];
  readonly objects: ReadonlyMap<string, PersistentVolumeObject>;
}

/** @throws ApiError */
export async function lookAtVolumes(client: Client, node: string): Promise<VolumesSeen> {
  const [attachments, nodes, all] = await Promise.all([
    Array.fromAsync(client.list<VolumeAttachmentObject>(VolumeAttachment, unread)),
    Array.fromAsync(client.list(Node, { metadataOnly: true })),
    Array.fromAsync(client.list<PersistentVolumeObject>(PersistentVolume, unread)),
  ]);
  const labelled = nodes.map(({ metadata: { name, labels = {} } }) => ({ name, labels }));
  const ours = all.filter(
    ({ spec, metadata }) => spec?.csi?.driver === csiDriver || marksOn(metadata.annotations, node).length > 0,
  );
  return {
    facts: ours.map((volume) => volumeFacts(volume, attachments, node, labelled)),
    objects: new Map(ours.map((volume) => [volume.metadata.name, volume])),
  };
}

/** A satellite's node in its own LINSTOR. */
export interface OwnNode {
  /** `undefined` where LINSTOR does not know it. */
  readonly node?: LinstorNode | undefined;
  /** Why what this LINSTOR knows is not about the node that the satellite has had, as a sentence. */
  readonly moved?: string;
}

/**
 * The node of a satellite in the LINSTOR that is its own now, unless it has had one in another: that this one does not
 * know it, or knows one of the same name, says nothing about the satellite's data.
 *
 * @throws SystemError
 */
export async function lookAtOwnNode(
  linstor: Linstor,
  { satellite, cluster }: Pick<SatelliteSeen, "satellite" | "cluster">,
): Promise<OwnNode> {
  const { name } = satellite.metadata;
  const moved = (knows: string) => ({ moved: movedBecause(satellite, cluster, linstor.url, knows) });
  try {
    const node = await linstor.nodes.get(name);
    if (!isAnother(satellite, linstor.url, node)) return { node };
    return moved(node ? "has another node of that name" : "does not know that node");
  } catch (error) {
    // Where only an address was mistyped nobody may answer, and a person has to hear of it.
    if (error instanceof SystemError && isAnother(satellite, linstor.url, undefined))
      return moved("could not be asked about that node");
    throw error;
  }
}

/**
 * What LINSTOR says of a node, `undefined` when it does not know it; or why that is not about this one. What is on the
 * node is read before the rest, so that what appears meanwhile is at worst seen next time.
 *
 * @throws SystemError
 */
async function lookAtData(
  linstor: Linstor,
  seen: SatelliteSeen,
  volumes: VolumesSeen,
): Promise<{ readonly data?: DataFacts | undefined; readonly moved?: string }> {
  const { satellite, record } = seen;
  const { name } = satellite.metadata;
  const own = await lookAtOwnNode(linstor, seen);
  if (own.moved !== undefined) return { moved: own.moved };
  requireOurs(await linstor.definitions.list(), volumes, linstor.url);
  const { node } = own;
  if (node) requireWitness(node);
  const here = node && (await linstor.resources.onNode(name));
  if (!node || !here) return {};
  const { before = {}, called } = record ?? {};
  const names = [...new Set([...here.map((one) => one.name), ...Object.keys(before)])];
  const [nodes, copies, snapshots, defined, groups] = await Promise.all([
    linstor.nodes.list(),
    linstor.resources.of(names),
    linstor.snapshots.onNode(name),
    linstor.definitions.list(),
    linstor.definitions.groups(),
  ]);
  const placeCounts = new Map(groups.map((group) => [group.name, group.placeCount]));
  const data = {
    node,
    nodes,
    copies,
    snapshots,
    placeCounts: new Map(defined.map((one) => [one.name, placeCounts.get(one.group ?? "")])),
    before,
    ...(called ? { calledAt: Date.parse(called) } : {}),
    warnings: called ? keptAnswer(node) : [],
  };
  return { data };
}

/**
 * A LINSTOR that lists none of the volumes that there are is another one, or has lost its database. It would call every
 * node empty, and with that be done with its data.
 *
 * @throws SystemError
 */
function requireOurs(definitions: readonly ResourceDefinition[], { facts, objects }: VolumesSeen, url: string): void {
  const known = new Set(definitions.map(({ name }) => name.toLowerCase()));
  const wanted = facts.filter(({ leaving }) => !leaving).flatMap(({ name }) => resourceIn(objects.get(name)));
  if (wanted.length === 0 || wanted.some((resource) => known.has(resource.toLowerCase()))) return;
  throw new SystemError(
    "LINSTOR",
    "unreachable",
    `The LINSTOR at ${url} lists none of the volumes of this cluster (${listed(wanted)}), and nothing that it says ` +
      "of a node is believed. Look whether LINSTOR_URL, or spec.externalController of the LinstorCluster, leads to " +
      "this cluster's LINSTOR, and whether that still has its database. PersistentVolumes whose data is gone for " +
      "good must be deleted.",
  );
}

/**
 * A node that nobody has registered for Kubernetes is another one of the same name: to evacuate or remove it would take
 * data that is somebody else's, and that it is there does not prove that this satellite has none.
 *
 * @throws SystemError
 */
export function requireWitness(node: LinstorNode): void {
  if (isWitnessed(node)) return;
  throw new SystemError(
    "LINSTOR",
    "unreachable",
    `LINSTOR has a node ${node.name}, and nothing says that it was registered for this Kubernetes cluster: it is ` +
      `left alone. Set its property ${witness} if it is this satellite's, or the deletion policy to Retain if it ` +
      "is not.",
  );
}

const resourceIn = (volume: PersistentVolumeObject | undefined) => (volume && resourceOf(volume)) ?? [];

/** What a rule of the chain looks with. */
export interface ChainView {
  readonly client: Client;
  readonly linstor: LinstorControllers;
  readonly settings: Common;
}

/**
 * The satellites that a subject means, live, each with the facts of its evacuation where it leaves; of a scope, those
 * that are deleted or whose evacuation has begun.
 *
 * @throws ApiError, SystemError
 */
export async function lookAtChain(
  subject: Subject,
  { client, linstor, settings }: ChainView,
): Promise<readonly (SatelliteSeen | LeavingSeen)[]> {
  const names = isObject(subject) ? [subject.name] : (await listSatellites(client)).filter(isUnderWay).map(nameOf);
  const seen = await Promise.all(names.map((name) => lookAtSatellite(client, name, "asks LINSTOR")));
  const found = seen.filter((one) => one !== undefined);
  return Promise.all(found.map(async (one) => (await withFacts(one, { client, linstor, settings })) ?? one));
}

async function withFacts(
  seen: SatelliteSeen,
  { client, linstor, settings }: ChainView,
): Promise<LeavingSeen | undefined> {
  const { satellite, machine, record, cluster, leaving, foreign, controller } = seen;
  if (!leaving || foreign) return undefined;
  const { name } = satellite.metadata;
  const abandoned = abandonedBecause(seen);
  const [volumes, all] = await Promise.all([lookAtVolumes(client, name), listSatellites(client)]);
  // Those of another LinstorCluster take nothing over, and have slots of their own.
  const satellites = all.filter((other) => clusterOf(other) === clusterOf(satellite));
  // Where there is no LINSTOR any more, nobody would answer.
  const own = abandoned ? undefined : linstor.at(controller);
  const { data, moved } = own ? await lookAtData(own, seen, volumes) : {};
  const halted = moved ?? (data && damageOf(satellite));
  const reattachLimit = millisecondsOf(satellite.spec?.evacuationStrategy?.attachedVolumeReattachTimeout);
  return {
    ...seen,
    facts: {
      node: name,
      satellite: { deleting: isBeingDeleted(satellite), held: hasFinalizer(satellite, satelliteFinalizer) },
      ...(machine ? { machine: hooksOn(machine) } : {}),
      ...(abandoned ? { abandoned } : {}),
      ...(halted ? { halted } : {}),
      volumes: volumes.facts,
      neighbours: satellites.filter((other) => nameOf(other) !== name).map(neighbourOf),
      ...(data ? { data } : {}),
      ...(record?.awaited ? { neighboursSince: Date.parse(record.awaited) } : {}),
      ...(settings.satelliteWait ? { neighboursLimit: settings.satelliteWait } : {}),
      ...(reattachLimit === undefined ? {} : { reattachLimit }),
    },
    volumes: volumes.objects,
    contenders: satellites.filter((other) => nameOf(other) === name || isUnderWay(other)).map(contenderOf),
    slots: cluster?.spec?.maxConcurrentEvacuations ?? 0,
    note: own && !moved ? noteChange(satellite, own.url, data?.node.uuid) : {},
    again: settings.satelliteLookAgain,
  };
}

const listSatellites = (client: Client) =>
  Array.fromAsync(client.list<LinstorSatelliteObject>(LinstorSatellite, unread));
const nameOf = ({ metadata }: KubernetesObject) => metadata.name;
const clusterOf = ({ spec }: LinstorSatelliteObject) => spec?.clusterRef?.name;

/** Deleted under Evacuate, begun, or in the queue. */
const isUnderWay = (satellite: LinstorSatelliteObject) =>
  (isBeingDeleted(satellite) && policyOf(satellite.spec) === "Evacuate") ||
  readRecord(satellite) !== undefined ||
  readProgress(satellite, "satellite/mark") !== undefined;

function contenderOf(satellite: LinstorSatelliteObject): Contender {
  const record = readRecord(satellite);
  const queued = readProgress(satellite, "satellite/mark")?.since;
  const since = record?.begun ?? queued ?? satellite.metadata.deletionTimestamp;
  const time = since ? Date.parse(since) : Number.POSITIVE_INFINITY;
  return { name: nameOf(satellite), inProgress: record !== undefined, since: time };
}

function neighbourOf(satellite: LinstorSatelliteObject): Neighbour {
  const { generation } = satellite.metadata;
  const configured = satellite.status?.conditions?.find(({ type }) => type === "Configured");
  return {
    name: nameOf(satellite),
    // One that is about to be evacuated is left as it is, and would be waited for in vain.
    deleting: isBeingDeleted(satellite) || isUnderWay(satellite),
    configured: configured?.status === "True" && configured.observedGeneration === generation,
  };
}

/**
 * Why a satellite is let go without LINSTOR, as a sentence; `undefined` where LINSTOR is to be asked. A LinstorCluster
 * that is being deleted takes all of its satellites along: there is nobody left to move data to, and nobody has asked
 * for all of it to be given up.
 */
export function abandonedBecause({
  satellite,
  machine,
  cluster,
}: Pick<SatelliteSeen, "satellite" | "machine" | "cluster">): string | undefined {
  if (machine?.clusterDeleting) return "The whole cluster is being deleted, and the data of its satellites with it.";
  const { name } = satellite.spec?.clusterRef ?? {};
  if (!name) return undefined;
  if (!cluster) return `The LinstorCluster ${name} is gone, and the satellite is let go without LINSTOR.`;
  if (!isBeingDeleted(satellite)) return undefined;
  // One of the same name that has come since did not ask for this deletion: garbage collection did.
  const owner = ownerOf(satellite);
  if (owner?.name === name && owner.uid !== cluster.metadata.uid)
    return `The LinstorCluster ${name} was replaced, and the satellite of the former one is let go without LINSTOR.`;
  return isBeingDeleted(cluster)
    ? `The LinstorCluster ${name} is being deleted, and the satellite is let go without LINSTOR.`
    : undefined;
}
