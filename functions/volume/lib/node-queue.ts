import type { Hint } from "../../../shared/event/hint.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import { readProgress, waitingLabel } from "../../../shared/progress.ts";
import type { Subject } from "../../../shared/subject.ts";
import { settleName } from "./follow.ts";
import { readJobHandle } from "./job-handle.ts";
import { Volume } from "./kinds.ts";
import { phaseOf, type VolumeObject } from "./volume.ts";

/**
 * A minion refuses a second run of states while one goes on, so that they are begun one after the other. Nobody keeps
 * the queue: it is the Volumes of the node whose rule has noted this step, and those whose run the minion has refused.
 * The oldest is first.
 */
export const queuedStep = "queued";

const prepareName = "volume/prepare";
const reclaimName = "volume/reclaim";

/** Rules that begin runs of states: those that make storage or take it back, and the one that repeats refused ones. */
export type BeginnerName = typeof prepareName | typeof reclaimName | typeof settleName;

/**
 * The node of a Volume whose run of states has just ended, as the event shows it: what waits there may go on. None
 * where the event does not carry the Volume; the time that is noted on those that wait comes all the same.
 */
export function freedNodesIn(hint: Hint): readonly Subject[] {
  if (hint.change !== "update" || hint.kind !== Volume.kind || hint.apiVersion !== Volume.apiVersion) return [];
  const volume = hint.object as VolumeObject | undefined;
  const job = readJobHandle(volume?.status?.job);
  if (!volume || !job || job.step === "GetDeviceInfo") return [];
  const hasEnded = job.jid === undefined || phaseOf(volume) === "Failed";
  return hasEnded ? [{ kind: Node, name: volume.spec.nodeName }] : [];
}

/**
 * The Volume that is next on a node, if this rule is to begin its run; `undefined` when nobody waits, the node is busy,
 * or the next one is another rule's. All of them see the same queue, so that for each end one run is begun.
 *
 * @throws ApiError
 */
export async function nextInQueue(
  client: Client,
  nodeName: string,
  ruleName: BeginnerName,
): Promise<string | undefined> {
  let next: VolumeObject | undefined;
  let isBusy = false;
  // Whoever waits, and most that run, carry the label: that is a short list, however many Volumes there are.
  const options = { labelSelector: `${waitingLabel}=true`, leaveOut: ["metadata.managedFields"] };
  for await (const volume of client.list<VolumeObject>(Volume, options)) {
    if (volume.spec.nodeName !== nodeName) continue;
    isBusy ||= runsStates(volume);
    if (beginnerOf(volume) && (!next || isBefore(volume, next))) next = volume;
  }
  return next && !isBusy && beginnerOf(next) === ruleName ? next.metadata.name : undefined;
}

/**
 * Another Volume of the same node that has a run of states in hand; `undefined` when there is none. Nobody waits for a
 * Volume that has failed or was refused: its job is over, or pauses.
 *
 * @throws ApiError
 */
export async function lookForOtherRun(client: Client, { metadata, spec }: VolumeObject): Promise<string | undefined> {
  let found: string | undefined;
  // To its end, because a list that is left in the middle takes its connection with it.
  for await (const other of client.list<VolumeObject>(Volume, { leaveOut: ["metadata.managedFields"] }))
    if (runsStates(other) && other.metadata.uid !== metadata.uid && other.spec.nodeName === spec.nodeName)
      found ??= other.metadata.name;
  return found;
}

function runsStates(volume: VolumeObject): boolean {
  const job = readJobHandle(volume.status?.job);
  const isInHand = ["Pending", "Terminating"].includes(phaseOf(volume));
  return isInHand && job?.jid !== undefined && job.step !== "GetDeviceInfo" && !isRefused(volume);
}

/** Whether the minion has refused the Volume's run, because it ran others. */
function isRefused(volume: VolumeObject): boolean {
  const progress = readProgress(volume, settleName);
  return progress?.step === "conflict" && progress.jid === readJobHandle(volume.status?.job)?.jid;
}

/** The rule that begins the run of a Volume that waits for its node; `undefined` for one that does not wait. */
function beginnerOf(volume: VolumeObject): BeginnerName | undefined {
  if (isRefused(volume)) return settleName;
  const rule = isBeingDeleted(volume) ? reclaimName : prepareName;
  return readProgress(volume, rule)?.step === queuedStep ? rule : undefined;
}

function isBefore({ metadata: one }: VolumeObject, { metadata: other }: VolumeObject): boolean {
  const [time, otherTime] = [one.creationTimestamp ?? "", other.creationTimestamp ?? ""];
  return time === otherTime ? one.name < other.name : time < otherTime;
}
