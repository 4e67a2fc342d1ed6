import { Contended } from "../../../../shared/contended.ts";
import { isBeingDeleted } from "../../../../shared/kubernetes/finalizer.ts";
import { SystemError } from "../../../../shared/system/system-error.ts";
import type { Linstor } from "../linstor/client.ts";
import {
  answeredCall,
  isOnline,
  isWitnessed,
  keptAnswer,
  type LinstorNode,
  type ResourceDefinition,
  sameName,
  witness,
} from "../linstor/objects.ts";
import { formerOf, isAnother, linstorKey, movedBecause, readNote, withoutCopies } from "../linstor-note.ts";
import type { SatelliteSnapshot } from "../look-at-satellite.ts";
import { isRemovalCalled, isRemovalProven } from "../noted-calls.ts";
import { damageOf } from "../record.ts";
import type { DeletionPolicy } from "../satellite.ts";
import { type PersistentVolumeObject, resourceOf, type VolumesSeen } from "../volumes.ts";
import { type DataFacts, listed, stop, type Verdict } from "./data-facts.ts";
import { lostBecause, lostUnmoved } from "./replica-floor.ts";

/** A satellite's node in its own LINSTOR. */
export interface OwnNode {
  /** `undefined` where LINSTOR does not know it. */
  readonly node?: LinstorNode | undefined;
  /** Why what this LINSTOR knows is not about the node that the satellite has had. */
  readonly moved?: Verdict;
}

/**
 * The node of a satellite in the LINSTOR that is its own now, unless it has had one in another: that this one does not
 * know it, or knows one of the same name, says nothing about the satellite's data.
 *
 * @throws SystemError
 */
export async function lookAtOwnNode(
  linstor: Linstor,
  { satellite, cluster }: Pick<SatelliteSnapshot, "satellite" | "cluster">,
): Promise<OwnNode> {
  const { name } = satellite.metadata;
  const moved = (knows: string) => ({ moved: movedBecause(satellite, cluster, linstor.url, knows) });
  try {
    const node = await linstor.nodes.get(name);
    if (!isAnother(satellite, linstor.url, node)) return { node };
    return moved(node ? "has another node of that name" : "does not know that node");
  } catch (error) {
    // Where only an address was mistyped nothing may answer, and a person has to hear of it.
    if (error instanceof SystemError && isAnother(satellite, linstor.url, undefined))
      return moved("could not be asked about that node");
    throw error;
  }
}

/** What LINSTOR says of a satellite's node, or why that is not to be gone by. */
export type DataSeen =
  | { readonly halted: Verdict }
  /** `undefined` when LINSTOR does not know the node. */
  | { readonly halted?: undefined; readonly data: DataFacts | undefined };

/** What the other satellites have to do with the data of one. */
export interface Others {
  /** Those that go without being evacuated: their copies are there, and will not stay. */
  readonly going: readonly string[];
  /** They all have one LinstorCluster, whose LINSTOR has every volume then. */
  readonly haveOneLinstor: boolean;
}

/**
 * What LINSTOR says of a node beside these others. What is on the node is read before the rest, so that what appears
 * meanwhile is at worst seen next time; and PersistentVolumes before LINSTOR's volumes, so that one that is just being
 * made is not missed.
 *
 * @throws SystemError; Contended where the node goes meanwhile
 */
export async function lookAtData(
  linstor: Linstor,
  seen: Pick<SatelliteSnapshot, "satellite" | "cluster" | "record" | "policy">,
  volumes: VolumesSeen,
  { going, haveOneLinstor }: Others,
): Promise<DataSeen> {
  const { satellite, record, policy } = seen;
  const { name } = satellite.metadata;
  const own = await lookAtOwnNode(linstor, seen);
  if (own.moved !== undefined) return { halted: own.moved };
  const { node } = own;
  const { before: counted = {}, called } = record ?? {};
  const isRemoved = !node && isRemovalProven(satellite);
  // Of a node that is proven to be done with, no volume is asked for.
  const needed = isRemoved ? [] : haveOneLinstor ? "all" : Object.keys(counted);
  const halted =
    strangerProblem(await linstor.definitions.list(), volumes, needed, linstor.url) ?? witnessProblem(node, policy);
  if (halted !== undefined) return { halted };
  if (isRemoved) return { data: undefined };
  const damage = damageOf(satellite);
  if (damage) return { halted: damage };
  const here = node && (await linstor.resources.onNode(name));
  // That it is not there any more is for a new look to judge: this one would call it a node without data.
  if (node && !here) throw new Contended(`The node ${name} has left LINSTOR while it was looked at.`);
  if (!node && !called && readNote(satellite)?.node !== undefined && !isRemovalCalled(satellite)) {
    const never = "and was never called to evacuate it: a person has removed it";
    const gone = `LINSTOR does not list the node ${name} any more, ${never}`;
    const unmoved = await lookAtLost(linstor, name, gone, going);
    return unmoved === undefined ? { data: undefined } : { halted: unmoved };
  }
  // It is listed again, and what it has now says nothing of what its disks have from before. That was looked at before
  // LINSTOR was called to evacuate it.
  if (node && !called && formerOf(satellite, linstor.url, node.uuid) !== undefined) {
    const again = `A person has removed the node ${name} from LINSTOR, and it was registered again`;
    const unmoved = await lookAtLost(linstor, name, again, going);
    if (unmoved !== undefined) return { halted: unmoved };
  }
  const onNode = (here ?? []).map((one) => one.name);
  // Of one that is on the node the copies are counted. Definitions that have snapshots alone have no copies either.
  const stored = [...volumes.objects.values()].flatMap((volume) => (isBeingDeleted(volume) ? [] : resourceIn(volume)));
  const unfound = withoutCopies(satellite, linstor.url).filter(
    (one) => !onNode.includes(one) && stored.some((resource) => sameName(resource, one)),
  );
  const before = { ...Object.fromEntries(unfound.map((one) => [one, 1])), ...counted };
  const names = [...new Set([...onNode, ...Object.keys(before)])];
  if (names.length === 0 && !here) return { data: undefined };
  const replicaFloor = {
    ...(await lookAtFloor(linstor, name, names)),
    before,
    going,
    ...(called ? { calledAt: Date.parse(called) } : {}),
    ...(record?.tried ? { tried: record.tried } : {}),
    // Of an earlier call nothing is said: what it could not do may be done by the last one.
    warnings: called && node && answeredCall(node) === Date.parse(called) ? keptAnswer(node) : [],
  };
  if (node && here) return { data: { ...replicaFloor, node } };
  const lost = lostBecause(name, replicaFloor);
  return lost === undefined ? { data: undefined } : { halted: lost };
}

/** What the floor of these definitions is counted from. */
async function lookAtFloor(linstor: Linstor, node: string, names: readonly string[]) {
  const [nodes, copies, snapshots, defined, groups] = await Promise.all([
    linstor.nodes.list(),
    linstor.resources.of(names),
    linstor.snapshots.onNode(node),
    linstor.definitions.list(),
    linstor.definitions.groups(),
  ]);
  requireConnected(nodes, linstor.url);
  const wanted = new Map(groups.map((group) => [group.name, group.placeCount]));
  const placeCounts = new Map(defined.map((one) => [one.name, wanted.get(one.group ?? "")]));
  return { nodes, copies, snapshots, placeCounts };
}

/** Why a node that a person has removed, so `what`, is not done with: any volume may have had a copy there. */
async function lookAtLost(
  linstor: Linstor,
  node: string,
  what: string,
  going: readonly string[],
): Promise<Verdict | undefined> {
  const names = (await linstor.definitions.list()).map(({ name }) => name);
  const before = Object.fromEntries(names.map((name) => [name, 1]));
  const replicaFloor = { ...(await lookAtFloor(linstor, node, names)), before, going, warnings: [] };
  return lostUnmoved(node, what, replicaFloor, linstorKey);
}

/**
 * A LINSTOR that lists none of the volumes that there are is another one, or has lost its database. It would call every
 * node empty, and with that be done with its data. One that does not list some of those that are `needed` may have an
 * older database, and call a node empty that has them.
 */
function strangerProblem(
  definitions: readonly ResourceDefinition[],
  { facts, objects }: VolumesSeen,
  needed: "all" | readonly string[],
  url: string,
): Verdict | undefined {
  const known = new Set(definitions.map(({ name }) => name.toLowerCase()));
  const wanted = facts.filter(({ leaving }) => !leaving).flatMap(({ name }) => resourceIn(objects.get(name)));
  const unknown = wanted.filter((resource) => !known.has(resource.toLowerCase()));
  const missing = unknown.filter((one) => needed === "all" || needed.some((name) => sameName(name, one)));
  const where =
    "Check that LINSTOR_URL, or spec.externalController of the LinstorCluster, leads to this cluster's LINSTOR, and " +
    "that it still has its ";
  if (wanted.length > 0 && unknown.length === wanted.length)
    return stop(
      `The LINSTOR at ${url} lists none of the volumes of this cluster (${listed(wanted)}), so Holdfast believes ` +
        "nothing that this LINSTOR says of a node.",
      `${where}database. Delete PersistentVolumes whose data is gone for good.`,
    );
  if (missing.length === 0) return undefined;
  return stop(
    `The LINSTOR at ${url} does not list ${listed(missing)}, of which this cluster has PersistentVolumes. Its ` +
      "database may be an older one, so Holdfast believes nothing that this LINSTOR says of a node.",
    `${where}newest database. Only if the data is gone for good or given up, delete the PersistentVolume ` +
      "(`kubectl delete persistentvolume NAME --wait=false`).",
  );
}

const resourceIn = (volume: PersistentVolumeObject | undefined) => (volume && resourceOf(volume)) ?? [];

/**
 * Why nothing is done to a node: one that was not registered for Kubernetes is another one of the same
 * name. To evacuate or remove it would take data of others, and that it is there does not prove that this satellite has
 * none.
 */
export function witnessProblem(node: LinstorNode | undefined, policy: DeletionPolicy): Verdict | undefined {
  if (!node || isWitnessed(node)) return undefined;
  const ifNot = policy === "Retain" ? "" : ", or the deletion policy to Retain if it is not";
  return stop(
    `LINSTOR has a node ${node.name}, and nothing says that it was registered for this Kubernetes cluster: it is ` +
      "left alone.",
    `Set its property ${witness} if it is this satellite's${ifNot}.`,
  );
}

/**
 * A controller that has just started answers before it is connected with its satellites: for seconds all of them are
 * OFFLINE, and every copy with them. That says nothing of any node.
 *
 * @throws SystemError
 */
function requireConnected(nodes: readonly LinstorNode[], url: string): void {
  const satellites = nodes.filter(({ type }) => /^(satellite|combined)$/i.test(type));
  if (satellites.length < 2 || satellites.some(isOnline)) return;
  throw new SystemError(
    "LINSTOR",
    "unreachable",
    `The LINSTOR at ${url} is connected with none of its ${satellites.length} satellites, as it is for a moment ` +
      "after its start. If this lasts, check the network between the controller and the Nodes.",
  );
}
