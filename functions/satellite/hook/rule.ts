import { type About, about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { on, rule } from "../../../shared/rule.ts";
import { warning } from "../../../shared/steps.ts";
import { poll, resync } from "../../../shared/sweep.ts";
import { controllerProblem } from "../lib/controller.ts";
import { type HookOrder, hookOrder } from "../lib/hooks.ts";
import { LinstorSatellite, onMachine } from "../lib/kinds.ts";
import { lookAtSatellite, type SatelliteSeen } from "../lib/look.ts";
import { hooksOn, identityOf, isSeenDeleting, machineKey, readIdentity, setHooks } from "../lib/machine.ts";
import { nodeNameProblem } from "../lib/marks.ts";
import { preDrainHook, preTerminateHook } from "../lib/names.ts";
import { mayLook } from "../lib/permissions.ts";
import { conditionWrites } from "../lib/satellite.ts";
import { satelliteRule } from "../lib/satellite-rule.ts";
import { ofMachine, ofNode, satellitesIn } from "../lib/subjects.ts";

const name = "satellite/hook";

/** A satellite with its Machine; `undefined` when it is gone. */
export type Facts = SatelliteSeen | undefined;

export const hook = rule({
  name,
  doc:
    "Makes the Machine of a satellite with the policy Evacuate wait for its evacuation, writes down which Machine it " +
    "is while the Node exists, and takes our hooks from Machines that are not to wait.",
  ...satelliteRule,
  wakes: [on(LinstorSatellite, ["add", "update"]), on(Node, ["add"]), ...onMachine(["add", "update"])],
  may: mayLook({ machines: "annotate", conditions: true, events: true }),
  sweep: [resync(LinstorSatellite), poll(LinstorSatellite, "1h")],
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
  look: ({ name = "" }, { client }): Promise<Facts> => lookAtSatellite(client, name),
  decide,
});

function decide(seen: Facts, now: number): readonly Decision[] {
  if (!seen) return [];
  const { satellite, foreign, policy } = seen;
  const at = about(LinstorSatellite, satellite);
  const active = activeReport(seen, now);
  if (foreign) return [at.write(foreign, active, { step: { name: "foreign" } })];
  const problem = policy === "Evacuate" ? nodeNameProblem(satellite.metadata.name) : undefined;
  if (problem) return [at.write(problem, active, { step: { name: "unnamable" } })];
  const decision = hooksOf(seen, at, active);
  const invalid = invalidController(seen);
  if (!invalid) return [decision];
  // Its Machine waits all the same: what is not evacuated must not be shut down.
  return [at.write(invalid, decision.do === "write" ? decision.writes : [], { step: { name: "invalid-controller" } })];
}

function hooksOf(seen: SatelliteSeen, at: About, active: readonly Write[]): Decision {
  const { satellite, machine, identity, policy } = seen;
  const known = readIdentity(satellite);
  const isNew = identity && (identity.name !== known?.name || identity.namespace !== known.namespace);
  const deleting = machine !== undefined && policy === "Evacuate" && isBeingDeleted(machine.object);
  const isNews = isNew || (identity && deleting !== isSeenDeleting(satellite));
  const noted = JSON.stringify({ ...identity, ...(deleting ? { deleting } : {}) });
  const writes = [
    ...active,
    // First: once the Node is gone nothing else says which Machine is to be released. That it is being deleted is
    // written down for the rules that begin with that: no event of another cluster reaches them.
    ...(isNews ? [annotate(LinstorSatellite, satellite, { [machineKey]: noted })] : []),
  ];
  const order = orderOf(seen);
  if (order.late) return at.write(order.because, writes, { step: { name: "late" } });
  if (order.hooks === "leave" || !machine)
    return writes.length > 0 ? at.write(order.because, writes) : at.leave(order.because);
  const value = order.hooks === "set" ? "" : null;
  return at.write(order.because, [...writes, setHooks(machine, { [preDrainHook]: value, [preTerminateHook]: value })]);
}

function orderOf({ satellite, machine, policy, record }: SatelliteSeen): HookOrder {
  if (!machine) return { hooks: "leave", because: "The Node has no Machine, or it is gone." };
  const deleting = machine.object.status?.conditions?.find(({ type }) => type === "Deleting")?.reason ?? "";
  return hookOrder({
    evacuates: policy === "Evacuate",
    satelliteDeleting: isBeingDeleted(satellite),
    machineDeleting: isBeingDeleted(machine.object),
    // Without our hooks a Machine that has come so far does not come back.
    infrastructureDeleting: /^(WaitingForInfrastructureDeletion|DeletionCompleted)/.test(deleting),
    clusterDeleting: machine.clusterDeleting,
    begun: record !== undefined,
    ...hooksOn(machine),
  });
}

/** Why nothing is done for it in LINSTOR, which this function asks nothing. */
const invalidController = ({ satellite, cluster, controller }: SatelliteSeen) =>
  controllerProblem(satellite, cluster, controller);

/** One condition says whether we act upon the satellite at all; only there once there was a reason to say so. */
function activeReport(seen: SatelliteSeen, now: number): readonly Write[] {
  const { satellite, foreign } = seen;
  const type = "HoldfastActive";
  const message = foreign ?? invalidController(seen);
  if (message !== undefined) {
    const reason = foreign ? "OperatorActive" : "InvalidController";
    return conditionWrites(satellite, [{ type, status: "False", reason, message }], now);
  }
  if (!satellite.status?.conditions?.some((condition) => condition.type === type)) return [];
  const isOurs = "The satellite is Holdfast's.";
  return conditionWrites(satellite, [{ type, status: "True", reason: "HandedOver", message: isOurs }], now);
}
