import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node, PersistentVolume, StorageClass } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import { isAtStepOf, type SeenVolume, volumeStep } from "../lib/chain.ts";
import { type JobStep, readJobHandle } from "../lib/job-handle.ts";
import type { ChainFacts } from "../lib/look.ts";
import { isOf, type PersistentVolumeObject } from "../lib/persistent-volume.ts";
import type { Salt } from "../lib/salt/client.ts";
import type { VolumeObject } from "../lib/volume.ts";
import { readDeviceInfo } from "./device-info.ts";
import { newJob, readJob } from "./job-note.ts";
import type { Job, Observation } from "./next-job-action.ts";
import { type NeededObjects, nodeGone, type Obstacle, obstacleToMaking, refusalOf } from "./obstacle.ts";

/** A job that is to be begun or followed, or what stands in its way. */
export type Work =
  | { readonly obstacle: Obstacle }
  | {
      /** The Volume's class; `undefined` when there is none, which only a Volume that is to be made needs. */
      readonly storageClass: KubernetesObject | undefined;
      /** What the job does: the one in hand, or the one that is to be begun. */
      readonly step: JobStep;
      readonly job: Job;
      readonly seen: Observation;
    };

/** The Volume of a run, and where it is at one of the rule's steps, its job. */
export interface JobFacts {
  readonly seen: readonly SeenVolume[];
  readonly work?: Work;
}

/**
 * Looks at the job of a Volume where there is one to begin or to follow. `seen`: none when the Volume is gone.
 *
 * @throws ApiError
 */
export async function lookAtJob(seen: readonly SeenVolume[], client: Client, salt: Salt): Promise<JobFacts> {
  const [one] = seen;
  if (one?.facts.is !== "ready" || !isAtStepOf("run-job", one.facts)) return { seen };
  const { facts } = one;
  const { volume, persistentVolume } = facts;
  if (!isBeingDeleted(volume) && persistentVolume && isOf(persistentVolume, volume)) return { seen };
  const work = await workFor(facts, client, salt);
  if (!isBeingDeleted(volume)) return { seen, work };
  // Salt takes its time, in which a claim may be bound: whether storage may be taken back is seen last.
  const last = await client.get<PersistentVolumeObject>(PersistentVolume, undefined, volume.metadata.name);
  return { seen: [{ ...one, facts: { ...facts, persistentVolume: last } }], work };
}

async function workFor(facts: ChainFacts, client: Client, salt: Salt): Promise<Work> {
  const { volume } = facts;
  const isGoing = isBeingDeleted(volume);
  if (isGoing && facts.nodeIsGone) return { obstacle: nodeGone(volume) };
  const input = await lookForInput(client, volume);
  const isNew = ["prepare", "reclaim"].includes(volumeStep(facts) ?? "");
  const job = isNew ? newJob : readJob(volume);
  const inHand = job.jid !== undefined && job.resumes === undefined;
  const wanted = isGoing ? "UnprepareVolume" : "PrepareVolume";
  const step = isNew ? wanted : (readJobHandle(volume.status?.job)?.step ?? wanted);
  if (!inHand && !isGoing) {
    const obstacle = obstacleToMaking(facts, input, false);
    if (obstacle) return { obstacle };
  }
  const seen = inHand ? await seeJob(salt, job, volume) : await seeNode(salt, volume);
  const obstacle = isGoing ? undefined : await obstacleBehind(seen, facts, input, client);
  return obstacle ? { obstacle } : { storageClass: input.storageClass, step, job, seen };
}

/** What would keep the storage from being published: looked for before it is made, and once more when it is. */
async function obstacleBehind(
  seen: Observation,
  facts: ChainFacts,
  input: NeededObjects,
  client: Client,
): Promise<Obstacle | undefined> {
  const { volume } = facts;
  const { storageClass } = input;
  if (seen.of === "node") return seen.answers && storageClass ? refusalOf(client, volume, storageClass) : undefined;
  if (seen.of === "outage" || seen.record.state !== "ended" || seen.record.outcome.end !== "success") return undefined;
  const info = readDeviceInfo(volume, seen.record.outcome.value);
  const lacking = obstacleToMaking(facts, input, true);
  return lacking ?? (info && storageClass ? refusalOf(client, volume, storageClass, info) : undefined);
}

async function lookForInput(client: Client, volume: VolumeObject): Promise<NeededObjects> {
  const [storageClass, node] = await Promise.all([
    client.get(StorageClass, undefined, volume.spec.storageClassName),
    client.get(Node, undefined, volume.spec.nodeName, { metadataOnly: true }),
  ]);
  return { storageClass, node };
}

const seeJob = (salt: Salt, { jid = "" }: Job, { spec }: VolumeObject): Promise<Observation> =>
  seeing(async () => ({ of: "job", ...(await salt.lookAtJob(jid, spec.nodeName)) }));

/** No minion runs this id. */
const noJob = "0".repeat(20);

/**
 * Whether a job may be begun on the node. Salt is asked before an id is written down: an outage is seen before anything
 * depends on it, and a post that a minion misses is lost.
 */
const seeNode = (salt: Salt, { spec }: VolumeObject): Promise<Observation> =>
  seeing(async () => ({ of: "node", answers: (await salt.findJob(noJob, spec.nodeName)) !== "unreachable" }));

async function seeing(look: () => Promise<Observation>): Promise<Observation> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof SystemError) return { of: "outage", error };
    throw error;
  }
}
