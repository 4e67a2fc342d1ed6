import type { Facts, InChain } from "../../../shared/chain/facts.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { readGoDuration } from "../../../shared/kubernetes/go-duration.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { lookAtNamed } from "../../../shared/look-at-each.ts";
import { readProgress } from "../../../shared/progress.ts";
import { isObject, type Subject } from "../../../shared/subject.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import type { DataFacts } from "./data/data-facts.ts";
import { lookAtData } from "./data/look-at-data.ts";
import { LinstorSatellite } from "./kinds.ts";
import type { LinstorControllers } from "./linstor/controllers.ts";
import { noteChange } from "./linstor-note.ts";
import { lookAtSatellite, type SatelliteSnapshot, withMachine } from "./look-at-satellite.ts";
import { hooksOn, type MachineSeen } from "./machine.ts";
import { isGoing, readRecord } from "./record.ts";
import { abandonedBecause, type LinstorSatelliteObject, policyOf, satelliteFinalizer } from "./satellite.ts";
import type { Common } from "./satellite-rule.ts";
import { lookAtVolumes, type PersistentVolumeObject, type VolumeFacts } from "./volumes.ts";

/** Another satellite of the same LinstorCluster. */
export interface Neighbour {
  readonly name: string;
  /** It goes, or is to be evacuated with its Machine. */
  readonly deleting: boolean;
  /** Its condition Configured is True for the generation that it has. */
  readonly configured: boolean;
}

/** All that the nine steps depend on, read in one run. */
interface EvacuationSnapshot {
  /** Of the Node, its LinstorSatellite and its LINSTOR node. */
  readonly node: string;
  /** The evacuation has been written down as begun. */
  readonly begun: boolean;
  /**
   * Whether the LinstorSatellite itself is being deleted, or only the Machine under it; and whether our finalizer holds
   * it.
   */
  readonly satellite: { readonly deleting: boolean; readonly held: boolean };
  /** Our hooks on the Machine that was written down while the Node existed; absent when there is none any more. */
  readonly hooks?: { readonly preDrain: boolean; readonly preTerminate: boolean };
  readonly machine?: MachineSeen;
  readonly volumes: readonly VolumeFacts[];
  /** PersistentVolumes that `volumes` are about, by name. */
  readonly objects: ReadonlyMap<string, PersistentVolumeObject>;
  readonly neighbours: readonly Neighbour[];
  /** When the wait for neighbours began, as far as it was written down, and after how long they are not waited for. */
  readonly neighboursSince?: number;
  readonly neighboursLimit?: number;
  /**
   * How long a volume may take to be attached elsewhere, in milliseconds; 0 is not at all, absent is as long as it
   * takes.
   */
  readonly reattachLimit?: number;
  /** The annotation that says in which LINSTOR the node is, where it does not say so yet. */
  readonly note: Readonly<Record<string, string>>;
}

/** `ready`: LINSTOR was asked. */
export interface ReadyFacts extends EvacuationSnapshot {
  readonly is: "ready";
  /** What LINSTOR says; absent when it does not know the node. */
  readonly data?: DataFacts;
}

/** `abandoned`: the whole cluster is deleted, or there is no LINSTOR to ask. */
export interface AbandonedFacts extends EvacuationSnapshot {
  readonly is: "abandoned";
  /** Why, as a sentence. */
  readonly message: string;
}

export type EvacuationFacts = ReadyFacts | AbandonedFacts;

/** A satellite that may be in the chain. */
export interface SatelliteInChain extends SatelliteSnapshot, InChain {}

/** The same with what its steps depend on. */
export type LookedSatellite = SatelliteInChain & { readonly facts: Facts<EvacuationFacts> };

/** What the rules of the chain look with. */
interface ChainView {
  readonly client: Client;
  readonly linstor: LinstorControllers;
  readonly settings: Common;
}

/** The satellites that a subject means; of a scope, those that are deleted or have begun. @throws ApiError */
export async function findSatellites(
  subject: Subject,
  { client, settings }: Pick<ChainView, "client" | "settings">,
): Promise<readonly SatelliteInChain[]> {
  const names = isObject(subject) ? [subject.name] : (await listSatellites(client)).filter(isUnderWay).map(nameOf);
  return lookAtNamed(LinstorSatellite, names, async (name) => {
    const one = await lookAtSatellite(client, name, settings);
    return one && { ...one, object: one.satellite };
  });
}

/**
 * What the steps of a satellite's evacuation depend on.
 *
 * @throws ApiError; SystemError where it has begun, or is about to, and Cluster API or LINSTOR cannot be asked
 */
export async function lookAtEvacuation(
  one: SatelliteInChain,
  { client, linstor, settings }: ChainView,
): Promise<Facts<EvacuationFacts>> {
  const { satellite, unmanagedReason, policy, record } = one;
  const { name } = satellite.metadata;
  const title = `LinstorSatellite ${name}`;
  if (unmanagedReason) return { is: "outside", message: unmanagedReason, undecided: true };
  if (policy !== "Evacuate") return { is: "outside", message: `${title} is not being evacuated.` };
  const seen = await withMachine(client, one).catch((error) => {
    if (error instanceof SystemError && !isGoing(satellite)) return undefined;
    throw error;
  });
  if (!seen)
    return {
      is: "outside",
      message: `Whether the Machine of ${title} is being deleted is not known: Cluster API cannot be asked.`,
      undecided: true,
    };
  const { machine, leaving, controller, unaddressed } = seen;
  if (!leaving) return { is: "outside", message: `${title} is not being evacuated.` };
  const abandoned = abandonedBecause(seen);
  if (unaddressed && !abandoned) return { is: "outside", message: unaddressed, undecided: true };
  const [volumes, all] = await Promise.all([lookAtVolumes(client, name), listSatellites(client)]);
  // Those of another LinstorCluster take nothing over, and have slots of their own.
  const satellites = all.filter((other) => clusterOf(other) === clusterOf(satellite));
  const reattachLimit = readGoDuration(satellite.spec?.evacuationStrategy?.attachedVolumeReattachTimeout);
  const snapshot = {
    node: name,
    begun: record !== undefined,
    satellite: { deleting: isBeingDeleted(satellite), held: hasFinalizer(satellite, satelliteFinalizer) },
    ...(machine ? { machine, hooks: hooksOn(machine) } : {}),
    volumes: volumes.facts,
    objects: volumes.objects,
    neighbours: satellites.filter((other) => nameOf(other) !== name).map(neighbourOf),
    ...(record?.awaited ? { neighboursSince: Date.parse(record.awaited) } : {}),
    ...(settings.satelliteWait ? { neighboursLimit: settings.satelliteWait } : {}),
    ...(reattachLimit === undefined ? {} : { reattachLimit }),
  };
  // Where there is no LINSTOR any more, none would answer.
  if (abandoned) return { is: "abandoned", message: abandoned, ...snapshot, note: {} };
  const own = linstor.at(controller);
  // What is evacuated is counted where it goes to; what is not is lost with its server, or with its node.
  const going = satellites.filter((other) => isGoing(other) && policyOf(other.spec) !== "Evacuate").map(nameOf);
  const haveOneLinstor = satellites.length === all.length;
  const looked = await lookAtData(own, one, volumes, { going, haveOneLinstor });
  if (looked.halted !== undefined) return { ...looked.halted, is: "halted" };
  const { data } = looked;
  return {
    is: "ready",
    ...snapshot,
    ...(data ? { data } : {}),
    note: noteChange(satellite, own.url, data?.node.uuid),
  };
}

const unread = { leaveOut: ["metadata.managedFields"] };
/** All satellites. @throws ApiError */
export const listSatellites = (client: Client) =>
  Array.fromAsync(client.list<LinstorSatelliteObject>(LinstorSatellite, unread));
const nameOf = ({ metadata }: KubernetesObject) => metadata.name;
const clusterOf = ({ spec }: LinstorSatelliteObject) => spec?.clusterRef?.name;

/** Deleted under Evacuate, begun, or in the queue. */
export const isUnderWay = (satellite: LinstorSatelliteObject) =>
  (isBeingDeleted(satellite) && policyOf(satellite.spec) === "Evacuate") ||
  readRecord(satellite) !== undefined ||
  readProgress(satellite, "satellite/mark") !== undefined;

function neighbourOf(satellite: LinstorSatelliteObject): Neighbour {
  const { generation } = satellite.metadata;
  const configured = satellite.status?.conditions?.find(({ type }) => type === "Configured");
  return {
    name: nameOf(satellite),
    // One that is about to be evacuated is left as it is, and waiting for it would never end.
    deleting: isBeingDeleted(satellite) || isUnderWay(satellite),
    configured: configured?.status === "True" && configured.observedGeneration === generation,
  };
}
