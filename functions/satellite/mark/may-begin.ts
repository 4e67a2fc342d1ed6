import type { Member } from "../../../shared/budget/budget.ts";
import { isAgreed, limitsOf, mayBegin, type Waits } from "../../../shared/budget/limits.ts";
import { type Contender, slotOf } from "../../../shared/budget/slots.ts";
import type { StepContext } from "../../../shared/chain/chain-rule.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import { dateLease, heldUntil, type LeaseObject, takeLease } from "../../../shared/kubernetes/lease.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { readProgress } from "../../../shared/progress.ts";
import { listed } from "../lib/data/data-facts.ts";
import { type EvacuationFacts, isUnderWay, listSatellites, type SatelliteInChain } from "../lib/evacuation-facts.ts";
import { isOnline, sameName } from "../lib/linstor/objects.ts";
import { isSeenDeleting, isServerSeenGoing, mayCarryHooks } from "../lib/machine.ts";
import { type EvacuationRecord, readRecord } from "../lib/record.ts";
import { conditions, type LinstorSatelliteObject } from "../lib/satellite.ts";
import type { Common } from "../lib/satellite-rule.ts";

/** Annotation of a LinstorSatellite by which a person agrees to its evacuation, with `true`, or holds it. */
export const approvalKey = "holdfast.dev/approve-evacuation";

/**
 * A function must hold this Lease to begin an evacuation. Two that begin at once would not see each other, and take one
 * slot.
 */
export const leaseName = "holdfast-satellite-slots";

/**
 * Longer than two writes take, for instances whose clocks are a minute ahead, too. What begins is seen in its record,
 * and the Lease is free again with that. Seconds.
 */
const leaseSeconds = 300;

/** What the beginning of an evacuation depends on besides its satellite. */
export interface Beginning {
  /** Read before the satellites. */
  readonly lease: LeaseObject | undefined;
  readonly namespace: string;
  /** All. */
  readonly satellites: readonly LinstorSatelliteObject[];
  /** Groups of Nodes by their names; empty where all are one group. */
  readonly groups: ReadonlyMap<string, string>;
  readonly settings: Common;
}

/** Reads it where one may be about to begin. @throws ApiError */
export async function lookAround(
  isAsked: boolean,
  client: Client,
  settings: Common,
): Promise<Pick<Beginning, "satellites" | "groups" | "settings">> {
  if (!isAsked) return { satellites: [], groups: new Map(), settings };
  const label = settings.evacuationGroupLabel;
  const nodes = label === "" ? [] : await Array.fromAsync(client.list(Node, { metadataOnly: true }));
  const groups = new Map(nodes.map(({ metadata: { name, labels } }) => [name, labels?.[label] ?? ""]));
  return { satellites: await listSatellites(client), groups, settings };
}

/**
 * What is to be written before the evacuation of a satellite begins, or what it waits for: a person, a window, those
 * that are out, and a slot. `queued`: it keeps its place among those that wait for a slot.
 */
export function beginningOf(
  { satellite, cluster, facts, now, next }: StepContext<SatelliteInChain, EvacuationFacts>,
  { lease, namespace, satellites, groups, settings }: Beginning,
):
  | (Waits & { readonly step: "waiting" | "queued"; readonly writes?: readonly Write[] })
  | { readonly writes: readonly Write[] } {
  const { name } = satellite.metadata;
  const limits = limitsOf("evacuation", settings);
  const own = satellites.filter((other) => clusterOf(other) === clusterOf(satellite));
  // To wait protects nothing where nothing is to be moved, or nothing can hold the server any more.
  if (facts.is === "ready" && facts.data && !isTooLate(satellite)) {
    if (!isAgreed(satellite.metadata.annotations?.[approvalKey], limits))
      // The annotation comes as an event.
      return { message: approvalWanted(satellite), step: "waiting" };
    const mine = groups.get(name);
    const online = facts.data.nodes.filter(isOnline);
    const members = own.map((one): Member => {
      const { uid, name: node } = one.metadata;
      const isOut = readRecord(one) ? isInProgress(one) : !online.some((other) => sameName(other.name, node));
      // One whose Node is gone may have been of any group.
      const group = (mine === undefined ? undefined : groups.get(node)) ?? mine ?? "";
      return { uid, name: node, group, isOut, isLeaving: false };
    });
    const me = members.find(({ uid }) => uid === satellite.metadata.uid);
    if (!me) return { message: "The satellites have changed in the meantime.", step: "waiting", next };
    // What is out already takes nothing more out. Two that are OFFLINE would wait for each other otherwise.
    const itsLimits = me.isOut ? { ...limits, maxUnavailable: unlimited } : limits;
    const verdict = mayBegin(me, members, [], itsLimits, { setting: "EVACUATION_WINDOW", noun: "satellites" }, now);
    if ("message" in verdict) return { next, ...verdict, step: "waiting" };
  }
  const slots = cluster?.spec?.maxConcurrentEvacuations ?? 0;
  const { admitted, position, of, before } = slotOf(name, contendersWith(name, own), slots);
  if (!admitted)
    return {
      message:
        `Waiting for a free evacuation slot (position ${position} of ${of}; ${slots} at a time). Before it: ` +
        `${listed(before)}. If one of them does not go on, \`kubectl describe linstorsatellite\` says what it waits ` +
        "for.",
      step: "queued",
      next,
    };
  if (slots <= 0 && limits.maxUnavailable === unlimited) return { writes: [] };
  const holder = holderOf(name);
  const begins = lease?.spec?.holderIdentity;
  // One Lease serves all LinstorClusters: it is free as soon as its holder has begun, whichever it belongs to.
  const isSeen = satellites.some((one) => readRecord(one) !== undefined && holderOf(one.metadata.name) === begins);
  if (heldUntil(lease, now) !== undefined && begins !== holder && !isSeen)
    return {
      message: `Waiting for a free evacuation slot: the evacuation of ${begins} is just beginning.`,
      step: "queued",
      writes: dateLease(lease, now),
      next,
    };
  return { writes: [takeLease(lease, { namespace, name: leaseName, holder, seconds: leaseSeconds }, now)] };
}

/** Who has a slot, or waits for one: the satellite of this name, and others of its LinstorCluster. */
export const contendersWith = (name: string, satellites: readonly LinstorSatelliteObject[]): readonly Contender[] =>
  satellites.filter((other) => other.metadata.name === name || contends(other)).map(contenderOf);

/**
 * Has a slot, or waits for one. One that cannot begin keeps no other from it, and neither does one whose node is empty:
 * Cluster API or others may keep its Node for as long as they like.
 */
function contends(satellite: LinstorSatelliteObject): boolean {
  if (readRecord(satellite)) return isInProgress(satellite);
  const { step = "" } = readProgress(satellite, "satellite/mark") ?? {};
  // It waits for its slot in a step of its own. In the others it waits for its Machine, a person or a window.
  return isUnderWay(satellite) && !["stuck", "halting", "away", "name-too-long", "waiting"].includes(step);
}

/** Its evacuation has begun, and data may still be on its node. */
export function isInProgress(satellite: LinstorSatelliteObject): boolean {
  const record = readRecord(satellite);
  return record !== undefined && !isCompleted(satellite, record);
}

/** Its condition says so of this evacuation, and not of one before it. Clocks may differ: times are not compared. */
function isCompleted(satellite: LinstorSatelliteObject, { former }: EvacuationRecord): boolean {
  const since = completedSince(satellite);
  return since !== undefined && since !== former;
}

/** Since when its condition says that an evacuation is completed. */
export const completedSince = ({ status }: LinstorSatelliteObject): string | undefined =>
  status?.conditions?.find(({ type, status }) => type === conditions.evacuated && status === "True")
    ?.lastTransitionTime;

function contenderOf(satellite: LinstorSatelliteObject): Contender {
  const record = readRecord(satellite);
  const queued = readProgress(satellite, "satellite/mark")?.since;
  const since = record?.begun ?? queued ?? satellite.metadata.deletionTimestamp;
  const time = since ? Date.parse(since) : Number.POSITIVE_INFINITY;
  return { name: satellite.metadata.name, inProgress: record !== undefined, since: time };
}

/** Its Machine can no longer be made to wait. */
export const isTooLate = (satellite: LinstorSatelliteObject) =>
  isSeenDeleting(satellite) && (!mayCarryHooks(satellite) || isServerSeenGoing(satellite));

/** Nothing is counted: as many may be out as there are. */
const unlimited = "100%";

/** What a person is asked, or has put off. The annotation may be there with another value. */
function approvalWanted(satellite: LinstorSatelliteObject): string {
  const { name } = satellite.metadata;
  const why = isBeingDeleted(satellite) ? "It" : "Its Machine";
  return (
    `${why} is being deleted: its evacuation begins when a person agrees. Run \`kubectl annotate linstorsatellite ` +
    `${name} --overwrite ${approvalKey}=true\``
  );
}

const holderOf = (node: string) => `LinstorSatellite ${node}`;
const clusterOf = ({ spec }: LinstorSatelliteObject) => spec?.clusterRef?.name;
