import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { type JobHandle, readJobHandle } from "./job-handle.ts";
import type { PersistentVolumeObject } from "./persistent-volume.ts";
import { isOf, isUnused } from "./persistent-volume.ts";
import { isAbandoned, wasBegun } from "./vanished-node.ts";
import { hasFailedForGood, phaseOf, type VolumeObject, volumeFinalizer } from "./volume.ts";

/** What the order of steps depends on, as read live. */
export interface ChainFacts {
  readonly volume: VolumeObject;
  /** The PersistentVolume of the Volume's name; `undefined` when there is none. */
  readonly persistentVolume: PersistentVolumeObject | undefined;
  /** Of a Volume that is being deleted: its Node object is not there. */
  readonly nodeIsGone?: boolean;
}

/** One step of a Volume's life. */
interface Link<Name extends string> {
  readonly step: Name;
  /** What the step is for, as a person would say it. */
  readonly doc: string;
  /** Derived from what was read each time, never from what is written down. */
  done(facts: ChainFacts): boolean;
}

const jobOf = ({ volume }: ChainFacts): JobHandle | undefined => readJobHandle(volume.status?.job);

/** Whether there is a PersistentVolume of this very Volume. */
const isPublished = ({ volume, persistentVolume }: ChainFacts): boolean =>
  persistentVolume !== undefined && isOf(persistentVolume, volume);

/** Whether a claim may hold the Volume's PersistentVolume: then nothing is taken back on the node. */
export const isInUse = (facts: ChainFacts): boolean =>
  facts.persistentVolume !== undefined && isPublished(facts) && !isUnused(facts.persistentVolume);

/** Whether nothing is left to take back on the node, or no node is left to take it back from. */
const isGivenUp = ({ volume, persistentVolume, nodeIsGone = false }: ChainFacts): boolean =>
  nodeIsGone && (isAbandoned(volume) || !wasBegun(volume, persistentVolume));

/** From a Volume to a PersistentVolume that claims can bind. */
const creation = [
  {
    step: "add-finalizer",
    doc: "The Volume gets the finalizer, so that its storage cannot be forgotten on the node.",
    done: ({ volume }) => hasFinalizer(volume, volumeFinalizer),
  },
  {
    step: "prepare",
    doc: "A Salt job that makes the storage is begun on the node.",
    done: (facts) => isPublished(facts) || isRunning(jobOf(facts), "PrepareVolume"),
  },
  {
    step: "publish",
    doc: "The job comes to its end, and the PersistentVolume is created from the size and the path that it returns.",
    done: (facts) =>
      isPublished(facts) && !facts.volume.status?.job && ["Available", "Failed"].includes(phaseOf(facts.volume)),
  },
] as const satisfies readonly Link<string>[];

const isRunning = (job: JobHandle | undefined, step: JobHandle["step"]): boolean =>
  job?.step === step && Boolean(job.jid);

/** From a deletion to a node that has its storage back. */
const deletion = [
  {
    step: "await-job",
    doc: "A job that makes or reclaims the storage comes to its end: until then it is not known what is on the node.",
    // A creation that has failed left its job there for people to look at.
    done: (facts) =>
      isGivenUp(facts) ||
      (!isRunning(jobOf(facts), "UnprepareVolume") &&
        (!isRunning(jobOf(facts), "PrepareVolume") || hasFailedForGood(facts.volume))),
  },
  {
    step: "delete-pv",
    doc: "The PersistentVolume is deleted, and no claim uses it any more.",
    done: (facts) => !isInUse(facts),
  },
  {
    step: "reclaim",
    doc: "A Salt job that reclaims the storage is begun on the node.",
    done: (facts) =>
      !hasFinalizer(facts.volume, volumeFinalizer) || isGivenUp(facts) || jobOf(facts)?.step === "UnprepareVolume",
  },
  {
    step: "release",
    doc: "The finalizers leave, the PersistentVolume's first.",
    done: ({ volume }) => !hasFinalizer(volume, volumeFinalizer),
  },
] as const satisfies readonly Link<string>[];

/** Both chains, for documentation. */
export const chains = { creation, deletion } as const;

export type ChainStep = (typeof creation)[number]["step"] | (typeof deletion)[number]["step"];

/**
 * The step that a Volume is at; `undefined` when it is where it should be, or when only a person gets it further. Each
 * rule of the chain acts when the step is its own.
 */
export function stepOf(facts: ChainFacts): ChainStep | undefined {
  if (isBeingDeleted(facts.volume)) return firstOpen<ChainStep>(deletion, facts);
  return hasFailedForGood(facts.volume) ? undefined : firstOpen<ChainStep>(creation, facts);
}

function firstOpen<Name extends string>(chain: readonly Link<Name>[], facts: ChainFacts): Name | undefined {
  return chain.find((link) => !link.done(facts))?.step;
}
