import type { Facts } from "../../../shared/chain/facts.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { readGoDuration } from "../../../shared/kubernetes/go-duration.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { mapConcurrently } from "../../../shared/map-concurrently.ts";
import { readProgress } from "../../../shared/progress.ts";
import { isObject, type Subject } from "../../../shared/subject.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import { lookAtData } from "./data/look-at-data.ts";
import type { Contender, EvacuationFacts, Neighbour, SatelliteInChain } from "./evacuation-facts.ts";
import { LinstorSatellite } from "./kinds.ts";
import type { LinstorControllers } from "./linstor/controllers.ts";
import { noteChange } from "./linstor-note.ts";
import { lookAtSatellite, withMachine } from "./look-at-satellite.ts";
import { hooksOn } from "./machine.ts";
import { damageOf, isGoing, readRecord } from "./record.ts";
import { abandonedBecause, type LinstorSatelliteObject, policyOf, satelliteFinalizer } from "./satellite.ts";
import type { Common } from "./satellite-rule.ts";
import { lookAtVolumes } from "./volumes.ts";

/** What the rules of the chain look with. */
interface ChainView {
  readonly client: Client;
  readonly linstor: LinstorControllers;
  readonly settings: Common;
}

/**
 * The satellites that a subject means; of a scope, those that are deleted or whose evacuation has begun.
 *
 * @throws ApiError
 */
export async function findSatellites(
  subject: Subject,
  { client, settings }: Pick<ChainView, "client" | "settings">,
): Promise<readonly SatelliteInChain[]> {
  const names = isObject(subject) ? [subject.name] : (await listSatellites(client)).filter(isUnderWay).map(nameOf);
  const seen = await mapConcurrently(names, (name) => lookAtSatellite(client, name, settings));
  return seen.flatMap((one) => (one ? [{ ...one, object: one.satellite }] : []));
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
  const { satellite, foreign, policy, record, cluster } = one;
  const { name } = satellite.metadata;
  const title = `LinstorSatellite ${name}`;
  if (foreign) return { is: "outside", message: foreign, undecided: true };
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
  const surroundings = {
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
    contenders: satellites.filter((other) => nameOf(other) === name || contends(other)).map(contenderOf),
    slots: cluster?.spec?.maxConcurrentEvacuations ?? 0,
  };
  // Where there is no LINSTOR any more, none would answer.
  if (abandoned) return { is: "abandoned", message: abandoned, ...surroundings, note: {} };
  const own = linstor.at(controller);
  // What is evacuated is counted where it goes to; what is not is lost with its server, or with its node.
  const going = satellites.filter((other) => isGoing(other) && policyOf(other.spec) !== "Evacuate").map(nameOf);
  const looked = await lookAtData(own, one, volumes, going);
  if (looked.halted !== undefined) return { ...looked.halted, is: "halted" };
  const { data } = looked;
  const damage = data && damageOf(satellite);
  if (damage) return { ...damage, is: "halted" };
  return {
    is: "ready",
    ...surroundings,
    ...(data ? { data } : {}),
    note: noteChange(satellite, own.url, data?.node.uuid),
  };
}

const unread = { leaveOut: ["metadata.managedFields"] };
const listSatellites = (client: Client) =>
  Array.fromAsync(client.list<LinstorSatelliteObject>(LinstorSatellite, unread));
const nameOf = ({ metadata }: KubernetesObject) => metadata.name;
const clusterOf = ({ spec }: LinstorSatelliteObject) => spec?.clusterRef?.name;

/** Deleted under Evacuate, begun, or in the queue. */
const isUnderWay = (satellite: LinstorSatelliteObject) =>
  (isBeingDeleted(satellite) && policyOf(satellite.spec) === "Evacuate") ||
  readRecord(satellite) !== undefined ||
  readProgress(satellite, "satellite/mark") !== undefined;

/** Has a slot, or waits for one; one that cannot begin keeps no other from it. */
const contends = (satellite: LinstorSatelliteObject) =>
  isUnderWay(satellite) &&
  (readRecord(satellite) !== undefined ||
    !["stuck", "halting", "away", "name-too-long"].includes(readProgress(satellite, "satellite/mark")?.step ?? ""));

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
