import { type Link, nextOf } from "../../../shared/chain.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { type JobHandle, readJobHandle } from "./job-handle.ts";
import { isOf, isUnused, type PersistentVolumeObject } from "./persistent-volume.ts";
import { hasFailedForGood, phaseOf, type VolumeObject, volumeFinalizer } from "./volume.ts";

/** What the order of steps depends on, as read live. */
export interface ChainFacts {
  readonly volume: VolumeObject;
  /** The PersistentVolume of the Volume's name; `undefined` when there is none. */
  readonly persistentVolume: PersistentVolumeObject | undefined;
}

const jobOf = ({ volume }: ChainFacts): JobHandle | undefined => readJobHandle(volume.status?.job);

/** Whether there is a PersistentVolume of this very Volume. */
const isPublished = ({ volume, persistentVolume }: ChainFacts): boolean =>
  persistentVolume !== undefined && isOf(persistentVolume, volume);

/** Whether a claim may hold the Volume's PersistentVolume: then nothing is taken back on the node. */
export const isInUse = (facts: ChainFacts): boolean =>
  isPublished(facts) && !isUnused(facts.persistentVolume as PersistentVolumeObject);

const isRunning = (job: JobHandle | undefined, step: JobHandle["step"]): boolean =>
  job?.step === step && Boolean(job.jid);

/** From a Volume to a PersistentVolume that claims can bind. */
const creation = [
  {
    step: "accept",
    doc: "The Volume gets the finalizer, so that its storage cannot be forgotten on the node.",
    done: ({ volume }) => hasFinalizer(volume, volumeFinalizer),
  },
  {
    step: "prepare",
    doc: "A Salt job that makes the storage is begun on the node.",
    done: (facts) => isPublished(facts) || isRunning(jobOf(facts), "PrepareVolume") || isPrepared(facts),
  },
  {
    step: "settle",
    doc: "The job comes to its end.",
    done: (facts) => isPublished(facts) || isPrepared(facts),
  },
  {
    step: "publish",
    doc: "The node is asked for size and path, and the PersistentVolume is created from them.",
    done: (facts) => isPublished(facts) && !jobOf(facts) && ["Available", "Failed"].includes(phaseOf(facts.volume)),
  },
] as const satisfies readonly Link<ChainFacts, string>[];

function isPrepared(facts: ChainFacts): boolean {
  const job = jobOf(facts);
  return job?.step === "GetDeviceInfo" || (job?.step === "PrepareVolume" && !job.jid);
}

/** From a deletion to a node that has its storage back. */
const deletion = [
  {
    step: "settle",
    doc: "A job that makes or takes back the storage comes to its end: nobody knows before what is on the node.",
    // A creation that has failed left its job there for people to look at.
    done: (facts) =>
      !isRunning(jobOf(facts), "UnprepareVolume") &&
      (!isRunning(jobOf(facts), "PrepareVolume") || hasFailedForGood(facts.volume)),
  },
  {
    step: "retire",
    doc: "The PersistentVolume is deleted, and nobody uses it any more.",
    done: (facts) => !isInUse(facts),
  },
  {
    step: "reclaim",
    doc: "A Salt job takes the storage back on the node; then the finalizers leave, the PersistentVolume's first.",
    done: ({ volume }) => !hasFinalizer(volume, volumeFinalizer),
  },
] as const satisfies readonly Link<ChainFacts, string>[];

/** Both chains, for documentation. */
export const chains = { creation, deletion } as const;

export type ChainStep = (typeof creation)[number]["step"] | (typeof deletion)[number]["step"];

/**
 * The step that a Volume is at; `undefined` when it is where it should be, or when only a person gets it further. Each
 * rule of the chain acts when the answer is its own.
 */
export function stepOf(facts: ChainFacts): ChainStep | undefined {
  if (isBeingDeleted(facts.volume)) return nextOf<ChainFacts, ChainStep>(deletion, facts);
  return hasFailedForGood(facts.volume) ? undefined : nextOf<ChainFacts, ChainStep>(creation, facts);
}
