import type * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Node, PersistentVolume, StorageClass } from "../../../shared/kubernetes/kind.ts";
import { readProgress } from "../../../shared/progress.ts";
import { on, onSignal, rule } from "../../../shared/rule.ts";
import { warning } from "../../../shared/steps.ts";
import { due } from "../../../shared/sweep.ts";
import { type ChainFacts, isInUse, stepOf } from "../lib/chain.ts";
import { isFollowed, settleName } from "../lib/follow.ts";
import { type JobHandle, readJobHandle, writeJobHandle } from "../lib/job-handle.ts";
import type { JobInput } from "../lib/jobs.ts";
import { Volume } from "../lib/kinds.ts";
import { lookAtVolume } from "../lib/look.ts";
import { lookForJob } from "../lib/look-for-job.ts";
import { freedNodesIn, nextInQueue } from "../lib/node-queue.ts";
import { firstLook } from "../lib/pauses.ts";
import { type Ends, pursue, pursuitSteps, type SeenJob, seeJob } from "../lib/pursue.ts";
import type { JobOutcome } from "../lib/salt/outcome.ts";
import { salt } from "../lib/salt/system.ts";
import { common } from "../lib/settings.ts";
import { jobReturned } from "../lib/signal.ts";
import { spawnJob } from "../lib/spawn-job.ts";
import { hasProgress, volumesIn } from "../lib/subjects.ts";
import { isAbandoned, nodeGone } from "../lib/vanished-node.ts";
import { statusWrites, type VolumeObject } from "../lib/volume.ts";

const name = settleName;
type Settings = z.output<typeof common>;

/**
 * A Volume, and where its run of states is to be followed, what a repetition is made from and how Salt has it;
 * `undefined` when the Volume is gone. Salt is not asked for a node that is gone when the Volume is to go, too.
 */
export type Facts =
  | (ChainFacts & {
      readonly input?: JobInput;
      readonly seen?: SeenJob;
      /** The node is free, and it is this Volume's turn there. */
      readonly isNext?: boolean;
    })
  | undefined;

/** The longest pause before storage that could not be taken back is tried again. Milliseconds. */
const longestPause = 3_600_000;

export const settle = rule({
  name,
  doc: "Follows the Salt job that makes or takes back a Volume's storage to its end, and never loses track of it.",
  settings: common,
  common,
  wakes: [on(Volume, ["update"]), onSignal(Volume, jobReturned)],
  may: [
    { resource: Volume, verbs: ["get", "list", "patch"] },
    { resource: Volume, subresource: "status", verbs: ["patch"] },
    { resource: PersistentVolume, verbs: ["get"] },
    { resource: StorageClass, verbs: ["get"] },
    { resource: Node, verbs: ["get"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [due(Volume)],
  steps: {
    ...pursuitSteps,
    "not-reclaimed": warning("StorageNotReclaimed"),
    "node-missing": warning("NodeMissing"),
  },
  systems: { salt },
  subjects: (hint) => [...volumesIn(hint, concerns), ...freedNodesIn(hint)],
  look: async (subject, { client, salt }): Promise<Facts> => {
    const isNext = subject.kind.kind === Node.kind;
    const volumeName = isNext ? await nextInQueue(client, subject.name ?? "", name) : subject.name;
    const facts = volumeName === undefined ? undefined : await lookAtVolume(client, volumeName);
    const run = facts && stepOf(facts) === "settle" ? runOf(facts.volume) : undefined;
    if (!facts || !run) return facts;
    const input = await lookForJob(client, facts.volume);
    if (isNodeGone(facts.volume, input)) return { ...facts, input };
    return { ...facts, input, seen: await seeJob(salt, run.jid, facts.volume.spec.nodeName), isNext };
  },
  decide,
});

type Run = Required<JobHandle>;

/** The run of states that the Volume has in hand. */
function runOf({ status }: VolumeObject): Run | undefined {
  const handle = readJobHandle(status?.job);
  return handle?.jid !== undefined && handle.step !== "GetDeviceInfo" ? (handle as Run) : undefined;
}

function concerns(volume: VolumeObject): boolean {
  const run = runOf(volume);
  return run ? !isFollowed(volume, name, run.jid) : hasProgress(volume, name);
}

/** Of a Volume that is to go: one that is to stay waits for its node to come back. */
const isNodeGone = (volume: VolumeObject, { node }: JobInput): boolean => !node && isBeingDeleted(volume);

function decide(facts: Facts, now: number, settings: Settings): readonly Decision[] {
  if (!facts) return [];
  const { volume, input, seen, isNext = false } = facts;
  const { leave, wait } = about(Volume, volume);
  const title = `Volume ${volume.metadata.name}`;
  const run = runOf(volume);
  if (stepOf(facts) !== "settle" || !run || !input) return [leave(`${title} has no run of states to be followed.`)];
  if (isNodeGone(volume, input)) {
    if (!isAbandoned(volume)) return [nodeGone(name, volume, now)];
    return [
      dropped(volume, `Node ${volume.spec.nodeName} is gone, and with it what job ${run.jid} did for ${title}.`, now),
    ];
  }
  if (!seen) return [leave(`${title} has just come to this step.`)];
  const failure = failureOf(volume, run, now);
  if (failure) {
    if (failure.pauses) return [wait(failure.because)];
    const because = `The storage of ${title} was not taken back. It is begun again`;
    const anew = { step: run.step, attempt: failure.attempt + 1, because };
    return [whileInUse(facts, run, now) ?? spawnJob(anew, input, now, settings)];
  }
  const ends: Ends = {
    succeeded: (outcome) => succeeded(volume, run, outcome, now),
    failed: (because) => failed(volume, run, because, now),
    insteadOfPost: () => whileInUse(facts, run, now),
    insteadOfRenewal: (because) => whileInUse(facts, run, now) ?? whileGoing(volume, run, because, now),
  };
  return [pursue({ ruleName: name, run, input, seen, isNext, now, settings }, ends)];
}

/**
 * Nothing is taken back under a claim that was bound since the job was begun: the job is dropped, and begun when it is
 * unbound.
 */
function whileInUse(facts: ChainFacts, { step, jid }: Run, now: number): Decision | undefined {
  if (step !== "UnprepareVolume" || !isInUse(facts)) return undefined;
  const because = `Job ${jid} has done nothing, and is not repeated: the PersistentVolume is in use again.`;
  return dropped(facts.volume, because, now);
}

/** Storage that is to be taken back is not made first. */
function whileGoing(volume: VolumeObject, { step }: Run, because: string, now: number): Decision | undefined {
  if (step !== "PrepareVolume" || !isBeingDeleted(volume)) return undefined;
  return dropped(volume, `${because} It is not begun again, because the Volume is being deleted.`, now);
}

function dropped(volume: VolumeObject, because: string, now: number): Decision {
  const writes = statusWrites(volume, { phase: "Terminating", message: because, job: "" }, now);
  return about(Volume, volume).write(because, writes);
}

/** What the job came to, on the Volume. */
function succeeded(volume: VolumeObject, run: Run, { states }: Extract<JobOutcome, { end: "success" }>, now: number) {
  // MetalK8s' states succeed for a Volume that their pillar does not have, and have done nothing then.
  const doubt = states.find(({ comment }) => comment.includes("not found in pillar"));
  if (doubt) return failed(volume, run, `${doubt.comment}: nothing was done on the node.`, now);
  const because = `Salt job ${run.jid} has done ${run.step} for Volume ${volume.metadata.name}.`;
  const job = writeJobHandle({ step: run.step });
  return about(Volume, volume).write(because, statusWrites(volume, { job }, now));
}

/** A creation that has failed is left to people; storage that was not taken back is tried again, ever more seldom. */
function failed(volume: VolumeObject, { step, jid }: Run, cause: string, now: number): Decision {
  const { write } = about(Volume, volume);
  const because = `Salt job '${step}' failed with: ${cause}`;
  if (step === "PrepareVolume") {
    const writes = statusWrites(volume, { phase: "Failed", reason: "CreationError", message: because }, now);
    return write(because, writes, { event: warning("StorageNotPrepared") });
  }
  const attempt = Number(readProgress(volume, name)?.attempt ?? 1);
  const next = now + Math.min(longestPause, firstLook * 2 ** Math.min(attempt, 10));
  const writes = statusWrites(volume, { phase: "Failed", reason: "DestructionError", message: because }, now);
  return write(because, writes, { step: { name: "not-reclaimed", attempt, details: { jid } }, next });
}

/** That this very job has failed to take the storage back, and whether it is left alone for a while. */
function failureOf(volume: VolumeObject, { jid }: Run, now: number) {
  const progress = readProgress(volume, name);
  if (progress?.step !== "not-reclaimed" || progress.jid !== jid) return undefined;
  const { because, next = "", attempt = 1 } = progress;
  const until = Date.parse(next) || 0;
  // A pause that is longer than any was written by a clock that was wrong.
  return { because, attempt, pauses: until > now && until <= now + longestPause };
}
