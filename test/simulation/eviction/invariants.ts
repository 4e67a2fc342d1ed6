import { type Invariant, isBy, type Truth } from "../invariants/invariant.ts";
import type { Change } from "../world/change.ts";
import type { InNova } from "./openstack.ts";
import {
  type ComputeLike,
  computeIn,
  computeLock,
  computePod,
  conditionOf,
  l2Pod,
  locksOn,
  nodeIn,
  openStackIn,
  podIn,
  serversOn,
} from "./resources.ts";

const invariant = (name: string, check: (change: Change, truth: Truth) => string | undefined): Invariant => ({
  name,
  check: (change, truth) => (isBy(change, "eviction") ? check(change, truth) : undefined),
});

/** A change of ours that deletes a pod of this name, which runs. */
function deletes({ before, after }: Change, name: string): boolean {
  const isPod = before?.kind === "Pod" && before.metadata.name === name && !before.metadata.deletionTimestamp;
  const { phase } = (before as { status?: { phase?: string } } | undefined)?.status ?? {};
  return isPod && phase !== "Failed" && (!after || after.metadata.deletionTimestamp !== undefined);
}

/** No L2 agent goes while a lock is on its Node. */
const l2AgentWaitsForLocks = invariant("l2-agent-waits-for-locks", (change, truth) => {
  const locks = locksOn(nodeIn(truth));
  return deletes(change, l2Pod) && locks.length > 0
    ? `The pod of the L2 agent is deleted while the Node has ${locks.join(", ")}.`
    : undefined;
});

/** No lock goes before its workload, and that not before the servers. */
const lockGoesLast = invariant("lock-goes-last", (change, truth) => {
  const { before, after } = change;
  const left = serversOn(truth).map(({ name, status }) => `${name} (${status})`);
  if (deletes(change, computePod) && left.length > 0)
    return `The pod of nova-compute is deleted while servers are there: ${left}.`;
  const had = before?.kind === "Node" && before.metadata.annotations?.[computeLock] !== undefined;
  if (!had || after?.metadata.annotations?.[computeLock] !== undefined) return undefined;
  return podIn(truth, computePod) || left.length > 0
    ? `The lock goes while ${podIn(truth, computePod) ? "the pod" : left.join(", ")} is there.`
    : undefined;
});

/** The counters that `yaookctl` reads say that the host is evicted only when nothing is there. */
const countersAreTrue = invariant("counters-are-true", ({ before, after }, truth) => {
  if (after?.kind !== "NovaComputeNode") return undefined;
  const isSaid = (object: ComputeLike | undefined) => conditionOf(object, "Evicted")?.status === "Evicted";
  if (!isSaid(after) || isSaid(before)) return undefined;
  const left = serversOn(truth);
  return left.length > 0 ? `It is said to be evicted, and ${left.length} servers are on its host.` : undefined;
});

/** Nothing of others is enabled, and nothing is disabled that is not to leave. */
const touchesItsOwn: Invariant = {
  name: "touches-its-own",
  check: () => undefined,
  checkOutside(occurrence, truth) {
    const { wanted, service } = occurrence as InNova;
    if (!wanted || openStackIn(truth).standIn.cloud.hosts.get(service.name) === undefined) return undefined;
    const { isEnabled, reason } = service;
    if (wanted === "enabled")
      return isEnabled || reason?.startsWith("Holdfast evicts")
        ? undefined
        : `nova-compute of ${service.name} is enabled, which others have disabled: ${reason}.`;
    return computeIn(truth)?.metadata.name === service.name
      ? undefined
      : `nova-compute of ${service.name} is disabled, which has no NovaComputeNode.`;
  },
};

/** What must hold after every write, and whatever Nova is asked. */
export const invariants: readonly Invariant[] = [l2AgentWaitsForLocks, lockGoesLast, countersAreTrue, touchesItsOwn];
