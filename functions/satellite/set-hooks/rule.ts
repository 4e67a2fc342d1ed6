import { type About, about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { on, rule } from "../../../shared/rule.ts";
import { warning } from "../../../shared/steps.ts";
import { labelled, poll, resync } from "../../../shared/sweep.ts";
import { type HookOrder, hookOrder } from "../lib/hooks.ts";
import { LinstorSatellite, onMachine } from "../lib/kinds.ts";
import { lookAtSatellite, type SatelliteOnMachine, withMachine } from "../lib/look-at-satellite.ts";
import {
  hooksOn,
  hooksPatch,
  identityOf,
  isSeenDeleting,
  isServerSeenGoing,
  machineKey,
  machineLeavesLabel,
  mayCarryHooks,
  preDrainHook,
  preTerminateHook,
  readIdentity,
} from "../lib/machine.ts";
import { readRecord } from "../lib/record.ts";
import { abandonedBecause, conditionWrites, type LinstorSatelliteObject, policyOf } from "../lib/satellite.ts";
import { mayLook, satelliteRule } from "../lib/satellite-rule.ts";
import { ofMachine, ofNode, satellitesIn } from "../lib/subjects.ts";
import { nodeNameProblem } from "../lib/volumes.ts";
import { Infrastructure, isServerGoing } from "./is-server-going.ts";

const name = "satellite/set-hooks";

/** A satellite with its Machine; `undefined` when it is gone. */
export type Facts =
  | (SatelliteOnMachine & {
      /** The infrastructure object of a deleting Machine is being deleted or gone; only where it could be read. */
      readonly isServerGoing?: boolean | undefined;
    })
  | undefined;

export const setHooks = rule({
  name,
  doc:
    "Makes the Machine of a satellite with the policy Evacuate wait for its evacuation, notes which Machine it " +
    "is while the Node exists, and removes Holdfast's hooks from Machines that need not wait.",
  ...satelliteRule,
  triggers: [on(LinstorSatellite, ["add", "update"]), on(Node, ["add"]), ...onMachine(["add", "update"])],
  permissions: [
    ...mayLook({
      why: "to note on the satellite which Machine it is on, and that the Machine leaves",
      writes: { annotations: [machineKey], labels: [machineLeavesLabel] },
      machines: "read",
      hooks: [preDrainHook, preTerminateHook],
      whyMachine: "to add the hooks by which the Machine waits for the evacuation, and to remove them",
      conditions: ["HoldfastActive"],
      events: "the satellite",
    }),
    // By name only. Which kinds there are, each provider of Cluster API decides.
    {
      resource: Infrastructure,
      verbs: ["get"],
      why: "to see whether the server of the Machine is being deleted, or is gone",
    },
  ],
  sweep: [resync(LinstorSatellite), poll(LinstorSatellite, "1h"), labelled(LinstorSatellite, machineLeavesLabel)],
  leavesBehind: [
    {
      kind: LinstorSatellite,
      isOn: mayCarryHooks,
      what: "LinstorSatellites whose Machine may carry Holdfast's hooks",
      effect:
        `Without Holdfast or piraeus-operator, such a Machine waits for ever when it is deleted. Their annotation ` +
        `${machineKey} names it. To remove the hooks after the uninstall, on the cluster of the Machines: kubectl ` +
        `annotate machine NAME -n NAMESPACE ${preDrainHook}- ${preTerminateHook}-. A Machine that is being deleted ` +
        "then goes at once, with its disks.",
    },
  ],
  steps: {
    late: warning("EvacuationTooLate"),
    foreign: warning("OperatorActive"),
    "invalid-controller": warning("InvalidController"),
    unnamable: warning("NodeNameTooLong"),
  },
  subjects: (hint) => [
    ...satellitesIn(hint, name, () => true),
    ...(hint.kind === Node.kind && hint.object && !identityOf(hint.object) ? [] : ofNode(hint)),
    ...ofMachine(hint, false),
  ],
  look: async ({ name = "" }, { client, settings }): Promise<Facts> => {
    const satellite = await lookAtSatellite(client, name, settings);
    const seen = satellite && (await withMachine(client, satellite));
    if (!seen?.machine || !isBeingDeleted(seen.machine.object)) return seen;
    if (orderOf(seen).hooks === "set") return { ...seen, isServerGoing: await isServerGoing(client, seen.machine) };
    if (!isWaitedFor(seen)) return seen;
    // Where that cannot be asked, the Machine waits for its satellite as before.
    return { ...seen, isServerGoing: await isServerGoing(client, seen.machine).catch(() => undefined) };
  },
  decide,
});

function decide(seen: Facts, now: number): readonly Decision[] {
  if (!seen) return [];
  const { satellite, unmanagedReason, policy } = seen;
  const at = about(LinstorSatellite, satellite);
  const active = activeReport(seen, now);
  if (unmanagedReason) return [at.write(unmanagedReason, active, { step: { name: "foreign" } })];
  const problem = policy === "Evacuate" ? nodeNameProblem(satellite.metadata.name) : undefined;
  if (problem) return [at.write(problem, active, { step: { name: "unnamable" } })];
  const decision = hooksOf(seen, at, active);
  const invalid = invalidController(seen);
  if (!invalid) return [decision];
  // Its Machine waits all the same: what is not evacuated must not be shut down.
  return [at.write(invalid, decision.do === "write" ? decision.writes : [], { step: { name: "invalid-controller" } })];
}

function hooksOf(seen: Exclude<Facts, undefined>, at: About, active: readonly Write[]): Decision {
  const { satellite, machine, identity, policy } = seen;
  const known = readIdentity(satellite);
  const isNew = identity && (identity.name !== known?.name || identity.namespace !== known.namespace);
  const isSeen = isSeenDeleting(satellite);
  // It stays written down when the hooks are gone, and until the Node is, too: no other node's data relies on this one.
  const deleting = machine
    ? isBeingDeleted(machine.object) && (policy === "Evacuate" || hooksOn(machine).preTerminate || isSeen)
    : isSeen && policy !== "Evacuate";
  const order = orderOf(seen);
  const on = machine && hooksOn(machine);
  const isFree = order.hooks === "remove" || (order.hooks === "leave" && !on?.preDrain && !on?.preTerminate);
  const isSeenGoing = isServerSeenGoing(satellite);
  // That it is too late is said by hooks that are not there, too.
  const isGoing = Boolean(deleting && !isFree && (seen.isServerGoing ?? isSeenGoing));
  const isOther = deleting !== isSeen || isGoing !== isSeenGoing || isFree === mayCarryHooks(satellite);
  const isOutdated = isNew || (identity && isOther);
  const labels = { [machineLeavesLabel]: deleting ? "true" : null };
  const hints = {
    ...(deleting ? { deleting } : {}),
    ...(isGoing ? { server: "going" } : {}),
    ...(isFree ? { hooks: "none" } : {}),
  };
  const text = JSON.stringify({ ...identity, ...hints });
  const noted = isOutdated ? [annotate(LinstorSatellite, satellite, { [machineKey]: text }, labels)] : [];
  // First: once the Node is gone nothing else says which Machine is to be released. That it is being deleted is
  // written down for the rules that begin with that: no event of another cluster reaches them. Only that our hooks are
  // gone is written down after they have been removed.
  const writes = order.hooks === "remove" ? active : [...active, ...noted];
  if (order.late) return at.write(order.message, writes, { step: { name: "late" } });
  if (order.hooks === "leave" || !machine)
    return writes.length > 0 ? at.write(order.message, writes) : at.leave(order.message);
  const value = order.hooks === "set" ? "" : null;
  const hooks: Record<string, "" | null> = { [preDrainHook]: value };
  if (order.hooks !== "drain") hooks[preTerminateHook] = value;
  const after = order.hooks === "remove" ? noted : [];
  // Another instance that sees another policy meanwhile, and no hooks yet, writes down that there are none. An
  // evacuation that has begun meanwhile may have released them.
  const holds = (live?: LinstorSatelliteObject) =>
    policyOf(live?.spec) === policy && (order.hooks !== "set" || !live || !readRecord(live));
  const precondition = { kind: LinstorSatellite, namespace: undefined, name: satellite.metadata.name, holds };
  return at.write(order.message, [...writes, hooksPatch(machine, hooks), ...after], { preconditions: [precondition] });
}

/** It has both hooks, and its evacuation may wait for a person, a window or others. */
function isWaitedFor({ policy, record, machine }: SatelliteOnMachine): boolean {
  const on = machine && hooksOn(machine);
  return Boolean(policy === "Evacuate" && !record && on?.preDrain && on.preTerminate);
}

function orderOf(seen: Exclude<Facts, undefined>): HookOrder {
  const { satellite, machine, policy, record } = seen;
  if (!machine) return { hooks: "leave", message: "The Node has no Machine, or it is gone." };
  const deleting = machine.object.status?.conditions?.find(({ type }) => type === "Deleting")?.reason ?? "";
  return hookOrder({
    policy,
    letGo: isBeingDeleted(satellite) && abandonedBecause(seen) !== undefined,
    machineDeleting: isBeingDeleted(machine.object),
    // Where the object may not be read, the Machine's reason says it for as long as no further hook comes.
    infrastructureDeleting:
      seen.isServerGoing ?? /^(WaitingForInfrastructureDeletion|DeletionCompleted)/.test(deleting),
    clusterDeleting: machine.clusterDeleting,
    begun: record !== undefined,
    ...hooksOn(machine),
  });
}

/** Why nothing is done for it in LINSTOR, which this function asks nothing. */
const invalidController = ({ unaddressed }: SatelliteOnMachine) => unaddressed;

/** One condition says whether we act upon the satellite at all; only there once there was a reason to say so. */
function activeReport(seen: SatelliteOnMachine, now: number): readonly Write[] {
  const { satellite, unmanagedReason } = seen;
  const type = "HoldfastActive";
  const message = unmanagedReason ?? invalidController(seen);
  if (message !== undefined) {
    const reason = unmanagedReason ? "OperatorActive" : "InvalidController";
    return conditionWrites(satellite, [{ type, status: "False", reason, message }], now);
  }
  if (!satellite.status?.conditions?.some((condition) => condition.type === type)) return [];
  const isOurs = "The satellite is Holdfast's.";
  return conditionWrites(satellite, [{ type, status: "True", reason: "HandedOver", message: isOurs }], now);
}
