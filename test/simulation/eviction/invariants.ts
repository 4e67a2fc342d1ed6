import type { Change } from "../../harness/simulated/change.ts";
import { type Invariant, isBy, type Truth } from "../invariants/invariant.ts";
import type { InNova } from "./openstack.ts";
import {
  type ComputeLike,
  computeIn,
  computeLock,
  computePodOn,
  conditionOf,
  hostOfPod,
  isOff,
  l2Pod,
  locksOn,
  nodeIn,
  serversOn,
} from "./resources.ts";

const invariant = (name: string, check: (change: Change, truth: Truth) => string | undefined): Invariant => ({
  name,
  check: (change, truth) => (isBy(change, "eviction") ? check(change, truth) : undefined),
});

/** What must hold of what Nova is asked, at the moment at which it is carried out. */
const inNova = (name: string, checkAsked: (asked: InNova, truth: Truth) => string | undefined): Invariant => ({
  name,
  check: () => undefined,
  checkOutside: (occurrence, truth) => checkAsked(occurrence as InNova, truth),
});

/** The name of a pod, which runs, that a change deletes. */
function deletedIn({ before, after }: Change): string | undefined {
  const isPod = before?.kind === "Pod" && !before.metadata.deletionTimestamp;
  const { phase } = (before as { status?: { phase?: string } } | undefined)?.status ?? {};
  const isDeleted = isPod && phase !== "Failed" && (!after || after.metadata.deletionTimestamp !== undefined);
  return isDeleted ? before.metadata.name : undefined;
}

/** No L2 agent goes while a lock is on its Node. */
const l2AgentWaitsForLocks = invariant("l2-agent-waits-for-locks", (change, truth) => {
  const locks = locksOn(nodeIn(truth));
  return deletedIn(change) === l2Pod && locks.length > 0
    ? `The pod of the L2 agent is deleted while the Node has ${locks.join(", ")}.`
    : undefined;
});

/** No lock goes before its workload, and that not before the servers, unless its host is off. */
const lockGoesLast = invariant("lock-goes-last", (change, truth) => {
  const { before, after } = change;
  const leftOn = (name: string) => serversOn(truth, name).map(({ name, status }) => `${name} (${status})`);
  const host = hostOfPod(deletedIn(change) ?? "");
  if (host && !isOff(truth, host) && leftOn(host).length > 0)
    return `The pod of nova-compute is deleted while servers are there: ${leftOn(host)}.`;
  const had = before?.kind === "Node" && before.metadata.annotations?.[computeLock] !== undefined;
  if (!had || after?.metadata.annotations?.[computeLock] !== undefined) return undefined;
  const { name } = before.metadata;
  const pod = computePodOn(truth, name);
  return pod || leftOn(name).length > 0
    ? `The lock goes while ${pod ? "the pod" : leftOn(name).join(", ")} is there.`
    : undefined;
});

/** The counters that `yaookctl` reads say that the host is evicted only when nothing is there. */
const countersAreTrue = invariant("counters-are-true", ({ before, after }, truth) => {
  if (after?.kind !== "NovaComputeNode") return undefined;
  const isSaid = (object: ComputeLike | undefined) => conditionOf(object, "Evicted")?.status === "Evicted";
  if (!isSaid(after) || isSaid(before)) return undefined;
  const left = serversOn(truth, after.metadata.name);
  return left.length > 0 ? `It is said to be evicted, and ${left.length} servers are on its host.` : undefined;
});

/** Nothing of others is enabled, and nothing is disabled that is not to leave. */
const touchesItsOwn = inNova("touches-its-own", (asked, truth) => {
  if (asked.wanted === "evacuate") return undefined;
  const { isEnabled, reason, name } = asked.service;
  if (asked.wanted === "enabled")
    return isEnabled || reason?.startsWith("Holdfast evicts")
      ? undefined
      : `nova-compute of ${name} is enabled, which others have disabled: ${reason}.`;
  return computeIn(truth, name) ? undefined : `nova-compute of ${name} is disabled, which has no NovaComputeNode.`;
});

/** No server is evacuated twice, however late Nova carries out the call. */
export const evacuatesOnce: Invariant = {
  ...inNova("evacuates-once", (asked) => {
    if (asked.wanted !== "evacuate") return undefined;
    const { server, evacuations } = asked;
    const before = evacuations.find(({ status }) => !["error", "failed"].includes(status));
    return before && `Server ${server.name} is evacuated again, and its evacuation before is ${before.status}.`;
  }),
  shownBy: "invariants.test.ts",
};

/** What must hold after every write, and after each request to Nova. */
export const invariants: readonly Invariant[] = [
  l2AgentWaitsForLocks,
  lockGoesLast,
  countersAreTrue,
  touchesItsOwn,
  evacuatesOnce,
];
