import * as z from "zod";
import { type ChainStep, chain, stepOf, takerOf } from "../../../shared/chain/chain.ts";
import type { Facts, Looked } from "../../../shared/chain/facts.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { on, type View } from "../../../shared/rule.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { type JobHandle, readJobHandle } from "./job-handle.ts";
import { Volume } from "./kinds.ts";
import { type ChainFacts, lookAtVolumeAndNode } from "./look.ts";
import { isOf, isUnused } from "./persistent-volume.ts";
import { isAbandoned, wasBegun } from "./vanished-node.ts";
import { hasFailedForGood, phaseOf, type VolumeObject, volumeFinalizer } from "./volume.ts";

type Ready = ChainFacts & { readonly is: "ready" };

/** A Volume of a run, with what its steps depend on. */
export type SeenVolume = Looked<{ readonly object: VolumeObject; readonly found: ChainFacts }, Ready>;

type Step = ChainStep<Ready, "prepare" | "publish" | "await-job" | "delete-pv" | "reclaim" | "release">;

const jobOf = ({ volume }: ChainFacts): JobHandle | undefined => readJobHandle(volume.status?.job);

const isRunning = (job: JobHandle | undefined, step: JobHandle["step"]): boolean =>
  job?.step === step && Boolean(job.jid);

/** Whether there is a PersistentVolume of this very Volume. */
const isPublished = ({ volume, persistentVolume }: ChainFacts): boolean =>
  persistentVolume !== undefined && isOf(persistentVolume, volume);

/** Whether a claim may hold a PersistentVolume with the Volume's storage: then nothing is taken back on the node. */
export const isInUse = (facts: ChainFacts): boolean =>
  isHeld(facts) || (facts.others !== undefined && facts.others.length > 0);

/** The same of the Volume's own PersistentVolume. */
export const isHeld = (facts: ChainFacts): boolean =>
  facts.persistentVolume !== undefined && isPublished(facts) && !isUnused(facts.persistentVolume);

/** Whether nothing is left to take back on the node, or no node is left to take it back from. */
const isGivenUp = ({ volume, persistentVolume, nodeIsGone = false }: ChainFacts): boolean =>
  nodeIsGone && (isAbandoned(volume) || !wasBegun(volume, persistentVolume));

/** From a Volume with the finalizer to a PersistentVolume that claims can bind. */
export const creation: readonly Step[] = [
  {
    name: "prepare",
    rule: "run-job",
    doc: "A Salt job that makes the storage is begun on the node.",
    done: (facts) => isPublished(facts) || isRunning(jobOf(facts), "PrepareVolume"),
  },
  {
    name: "publish",
    rule: "run-job",
    doc: "The job comes to its end, and the PersistentVolume is created from the size and the path that it returns.",
    done: (facts) =>
      isPublished(facts) && !facts.volume.status?.job && ["Available", "Failed"].includes(phaseOf(facts.volume)),
  },
];

/** From a deletion to a node that has its storage back. */
export const deletion: readonly Step[] = [
  {
    name: "await-job",
    rule: "run-job",
    doc: "A job that makes or reclaims the storage comes to its end: until then it is not known what is on the node.",
    // A creation that has failed left its job there for people to look at.
    done: (facts) =>
      isGivenUp(facts) ||
      (!isRunning(jobOf(facts), "UnprepareVolume") &&
        (!isRunning(jobOf(facts), "PrepareVolume") || hasFailedForGood(facts.volume))),
  },
  {
    name: "delete-pv",
    doc: "The PersistentVolume is deleted, and no claim uses it any more.",
    done: (facts) => !isInUse(facts),
  },
  {
    name: "reclaim",
    rule: "run-job",
    doc: "A Salt job that reclaims the storage is begun on the node.",
    done: (facts) =>
      !hasFinalizer(facts.volume, volumeFinalizer) || isGivenUp(facts) || jobOf(facts)?.step === "UnprepareVolume",
  },
  {
    name: "release",
    rule: "delete-pv",
    doc: "The finalizers leave, the PersistentVolume's first.",
    done: ({ volume }) => !hasFinalizer(volume, volumeFinalizer),
  },
];

/** The steps that a Volume takes only while it is being deleted, or only while it is not. */
const taken = (steps: readonly Step[], whileDeleted: boolean): readonly Step[] =>
  steps.map((step) => ({
    ...step,
    done: (facts, now) => isBeingDeleted(facts.volume) !== whileDeleted || step.done(facts, now),
  }));

/** When to look what became of a job that was posted, if its end is not heard of. Milliseconds. */
export const firstLook = 30_000;

/** How the storage of a Volume is made and reclaimed: what the rules have in common that take the steps. */
export const storageChain = chain({
  system: "volume",
  kinds: [Volume],
  noun: "storage",
  steps: [...taken(creation, false), ...taken(deletion, true)],
  rule: {
    settings: z.object({}),
    triggers: [on(Volume, ["update"]), on(PersistentVolume, ["update", "delete"])],
    sweep: [Volume, PersistentVolume].map((kind) => whileDeleting(kind, volumeFinalizer)),
  },
  concerns: isBeingDeleted,
  find: async ({ name = "" }, { client }: View<object, Record<never, never>>) => {
    const facts = await lookAtVolumeAndNode(client, name);
    return facts ? [{ object: facts.volume, found: facts }] : [];
  },
  look: async ({ found }) => readyOf(found),
  again: () => firstLook,
});

/** What was read; `outside` where the Volume has no step: without the finalizer, or failed until it is deleted. */
export function readyOf(facts: ChainFacts): Facts<Ready> {
  const { volume } = facts;
  const title = `Volume ${volume.metadata.name}`;
  if (isBeingDeleted(volume)) return { is: "ready", ...facts };
  if (!hasFinalizer(volume, volumeFinalizer)) return { is: "outside", message: `${title} has no finalizer yet.` };
  if (hasFailedForGood(volume))
    return { is: "outside", message: `${title} has failed, and stays so until it is deleted.` };
  return { is: "ready", ...facts };
}

/** The step that a Volume is at; `undefined` when all are done, or when it is at none. */
export function volumeStep(facts: ChainFacts): Step["name"] | undefined {
  const ready = readyOf(facts);
  if (ready.is !== "ready") return undefined;
  // No step depends on the time.
  const { step } = stepOf(storageChain.steps, ready, 0);
  return step === "done" ? undefined : step;
}

/** Whether a Volume is at a step that this rule takes. */
export function isAtStepOf(rule: string, facts: ChainFacts): boolean {
  const step = volumeStep(facts);
  return storageChain.steps.some((one) => one.name === step && takerOf(one) === rule);
}
