import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import type { Subject } from "../../../shared/subject.ts";
import { type ChainFacts, type ChainStep, stepOf } from "./chain.ts";
import { isFollowed, settleName } from "./follow.ts";
import { readJobHandle } from "./job-handle.ts";
import type { JobInput } from "./jobs.ts";
import { Volume } from "./kinds.ts";
import { lookAtVolume } from "./look.ts";
import { lookForJob } from "./look-for-job.ts";
import { type BeginnerName, lookForOtherRun, nextInQueue, queuedStep } from "./node-queue.ts";
import type { Common } from "./settings.ts";
import { type NewJob, phaseDuring, spawnJob } from "./spawn-job.ts";
import type { VolumeObject } from "./volume.ts";
import { waiting } from "./waiting.ts";

/** A Volume, and where it is the rule's step, what a run of states for it is made from. */
export type Beginning = ChainFacts & {
  readonly job?: JobInput & {
    /** Another Volume whose states run on the node. */
    readonly busy?: string;
  };
};

/** A rule that begins runs of states, and the step of the chain at which it does. */
export interface Beginner {
  readonly rule: BeginnerName;
  readonly step: ChainStep;
}

/**
 * The Volume that an event is about, or the next one on a node that is free; where it is at the step, with all that its
 * run is made from. `undefined` when there is none.
 *
 * @throws ApiError
 */
export async function lookToBegin(
  client: Client,
  { kind, name = "" }: Subject,
  { rule, step }: Beginner,
): Promise<Beginning | undefined> {
  const volumeName = kind.kind === Node.kind ? await nextInQueue(client, name, rule) : name;
  return volumeName === undefined ? undefined : lookAtBeginning(client, volumeName, step);
}

async function lookAtBeginning(client: Client, name: string, step: ChainStep): Promise<Beginning | undefined> {
  const facts = await lookAtVolume(client, name);
  if (!facts || stepOf(facts) !== step) return facts;
  const job = await lookForJob(client, facts.volume);
  const busy = await lookForOtherRun(client, facts.volume);
  return { ...facts, job: { ...job, ...(busy === undefined ? {} : { busy }) } };
}

/**
 * What a rule that begins runs decides at a step that is not its own. Its note of the run that it has begun stays until
 * `settle` has one: it has the sweep look after the job as long as Salt cannot be asked.
 */
export function notNow(ruleName: string, volume: VolumeObject, because: string): Decision {
  const { leave, wait } = about(Volume, volume);
  const jid = readJobHandle(volume.status?.job)?.jid;
  const isKept = jid !== undefined && isFollowed(volume, ruleName, jid) && !isFollowed(volume, settleName, jid);
  return isKept ? wait(because) : leave(because);
}

/** Begins a run of states on the node, or waits until the node has done with another Volume's. */
export function begin(
  ruleName: string,
  run: Omit<NewJob, "attempt">,
  job: NonNullable<Beginning["job"]>,
  now: number,
  settings: Common,
): Decision {
  const { volume, busy } = job;
  if (busy === undefined) return spawnJob({ ...run, attempt: 1 }, job, now, settings);
  const { metadata, spec } = volume;
  const because = `Node ${spec.nodeName} works for Volume ${busy}; Volume ${metadata.name} comes after it.`;
  return waiting(ruleName, volume, queuedStep, phaseDuring[run.step], because, now);
}
