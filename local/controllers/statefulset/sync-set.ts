import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { isFinished } from "../objects/pod.ts";
import { claimsHaveRightOwners, fixOwners, hasClaimLeftBehind } from "./claims.ts";
import { type Revisions, resolveRevisions, templateOf } from "./history.ts";
import { firstOrdinal, isInRange } from "./identity.ts";
import { newPod, revisionLabel } from "./make-pod.ts";
import { correctClaims, createPod, deletePod, gatherPods, type Member, replaceLostClaims } from "./pods.ts";
import type { SetObject } from "./set.ts";
import type { SetTools } from "./set-tools.ts";
import { isCreated, isReady, isRunningAndReady, type Status, statusOf, writeStatus } from "./status.ts";

/** Brings a set one round closer to what it wants: its pods, their claims and its status. */
export async function syncSet(tools: SetTools, set: SetObject): Promise<void> {
  const members = await gatherPods(tools, set);
  const revisions = await resolveRevisions(tools, set);
  const status = statusOf(set, revisions, members);
  try {
    // A set that is being deleted is left to the garbage collector.
    if (!isBeingDeleted(set)) await advance(tools, set, revisions, members, status);
  } finally {
    await writeStatus(tools, set, status);
  }
}

async function advance(
  tools: SetTools,
  set: SetObject,
  revisions: Revisions,
  members: readonly Member[],
  status: Status,
): Promise<void> {
  const { podManagementPolicy, updateStrategy } = set.spec;
  const oneByOne = podManagementPolicy !== "Parallel";
  const isLacking = ({ pod }: Member) => isBeingDeleted(pod) || !isReady(pod);
  const replicas = replicasOf(set, revisions, members);
  const condemned = members
    .filter(({ ordinal }) => !isInRange(set, ordinal))
    .sort((left, right) => right.ordinal - left.ordinal);
  // Of the condemned the lowest ordinal counts first.
  const firstLacking = [...replicas, ...condemned.toReversed()].find(isLacking);

  const settled =
    (await forEachOf(replicas, oneByOne, (member) => bringUp(tools, set, member, oneByOne))) &&
    (await forEachOf(condemned, oneByOne, async (member) => {
      if (!claimsHaveRightOwners(tools, set, member)) await fixOwners(tools, set, member);
      return "next";
    })) &&
    (await forEachOf(condemned, oneByOne, async (member) => {
      if (isBeingDeleted(member.pod)) return oneByOne ? "stop" : "next";
      if (oneByOne && member !== firstLacking && !isRunningAndReady(member.pod)) return "stop";
      await deletePod(tools, set, member);
      return "stop";
    }));
  if (!settled || updateStrategy.type === "OnDelete") return;

  // The highest ordinal that is not as it should be goes first, and no other before it is back.
  for (const member of replicas.slice(updateStrategy.rollingUpdate?.partition ?? 0).toReversed()) {
    if (member.pod.metadata.labels?.[revisionLabel] !== status.updateRevision && !isBeingDeleted(member.pod)) {
      await deletePod(tools, set, member);
      status.currentReplicas = Math.max(0, status.currentReplicas - 1);
      return;
    }
    if (isLacking(member)) return;
  }
}

/** The wanted pods by ordinal, those that exist and those that do not. */
function replicasOf(set: SetObject, { current, update }: Revisions, members: readonly Member[]): Member[] {
  const { replicas, updateStrategy } = set.spec;
  const present = new Map(members.map((member) => [member.ordinal, member]));
  const first = firstOrdinal(set);
  const { currentReplicas = 0 } = set.status ?? {};
  const { type, rollingUpdate } = updateStrategy;
  const old = rollingUpdate ? (rollingUpdate.partition ?? 0) : type === "RollingUpdate" ? currentReplicas : 0;
  return Array.from({ length: replicas }, (_, index) => {
    const ordinal = first + index;
    const revision = index < old ? current : update;
    const pod = () => newPod(set, templateOf(revision), revision.metadata.name, ordinal);
    return present.get(ordinal) ?? { pod: pod(), ordinal };
  });
}

/** Brings one wanted pod up. `stop`: those after it have to wait for it. */
async function bringUp(tools: SetTools, set: SetObject, member: Member, oneByOne: boolean): Promise<"next" | "stop"> {
  const { pod } = member;
  if (isFinished(pod)) {
    // Its successor comes when it is gone.
    if (!isBeingDeleted(pod)) await deletePod(tools, set, member);
    return "stop";
  }
  if (!isCreated(pod)) {
    if (hasClaimLeftBehind(tools, set, member)) return "stop";
    await createPod(tools, set, member);
    if (oneByOne) return "stop";
  }
  if (pod.status?.phase === "Pending") await replaceLostClaims(tools, set, member);
  if (oneByOne && (isBeingDeleted(pod) || !isRunningAndReady(pod))) return "stop";
  if (isCreated(pod)) await correctClaims(tools, set, member);
  return "next";
}

/**
 * Takes a step for each item: one by one until one says `stop` or fails, or all at once. Returns whether all went
 * through.
 */
async function forEachOf<T>(
  items: readonly T[],
  oneByOne: boolean,
  step: (item: T) => Promise<"next" | "stop">,
): Promise<boolean> {
  if (oneByOne) {
    for (const item of items) if ((await step(item)) === "stop") return false;
    return true;
  }
  const outcomes = await Promise.allSettled(items.map(step));
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
  return true;
}
