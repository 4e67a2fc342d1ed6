import { about } from "../../../shared/about.ts";
import { halting, hasLasted, stuck } from "../../../shared/chain/has-lasted.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent, warning } from "../../../shared/steps.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { listed, stop, type Verdict, whole } from "../lib/data/data-facts.ts";
import { lastCopies } from "../lib/data/last-copies.ts";
import { lookAtData, type Others } from "../lib/data/look-at-data.ts";
import { moreCopies } from "../lib/data/replica-floor.ts";
import { patience } from "../lib/evacuation.ts";
import { LinstorSatellite, onMachine } from "../lib/kinds.ts";
import { leftovers } from "../lib/leftovers.ts";
import type { LinstorControllers } from "../lib/linstor/controllers.ts";
import { linstor } from "../lib/linstor/system.ts";
import { lookAtSatellite, type SatelliteOnMachine, withMachine } from "../lib/look-at-satellite.ts";
import { hooksOn, hooksPatch, isSeenDeleting, mayCarryHooks, preDrainHook, preTerminateHook } from "../lib/machine.ts";
import { markedIn } from "../lib/marked-satellites.ts";
import { removalKey, removalPending } from "../lib/noted-calls.ts";
import { isGoing } from "../lib/record.ts";
import {
  abandonedBecause,
  conditions,
  conditionWrites,
  type LinstorSatelliteObject,
  policyOf,
  satelliteFinalizer,
} from "../lib/satellite.ts";
import { mayLook, satelliteRule } from "../lib/satellite-rule.ts";
import { ofMachine, satellitesIn } from "../lib/subjects.ts";
import { lookAtVolumes, type VolumeFacts, type VolumesSeen } from "../lib/volumes.ts";

const name = "satellite/retain";

/** A satellite with the volumes of its node; `undefined` when it is gone. */
export type Facts =
  | (SatelliteOnMachine & {
      readonly volumes: readonly VolumeFacts[];
      /** Why its Machine is not shut down yet. Only where the Machine waits. */
      readonly held?: Verdict | undefined;
    })
  | undefined;

export const retain = rule({
  name,
  doc:
    "Lets a LinstorSatellite with the policy Retain go, and leaves its data and its node in LINSTOR as they are. A " +
    "Machine that was to be evacuated when its deletion began is shut down once its data is on nodes that stay.",
  ...satelliteRule,
  triggers: [on(LinstorSatellite, ["update"]), ...onMachine(["update"]), on(PersistentVolume, ["update"])],
  permissions: mayLook({
    why: "to see which other satellites leave, and to remove the finalizer of this one",
    writes: { annotations: [removalKey], finalizers: [satelliteFinalizer] },
    satellites: "list",
    volumes: "list",
    machines: "read",
    hooks: [preDrainHook, preTerminateHook],
    whyMachine: "to see whether the Machine is being deleted, and to remove the hooks that hold it",
    conditions: [conditions.evacuated, conditions.documented],
    events: "the satellite",
  }),
  sweep: [whileDeleting(LinstorSatellite, satelliteFinalizer)],
  finalizers: [
    { kind: LinstorSatellite, finalizer: satelliteFinalizer, standsFor: "nodes of LINSTOR", isUnderWay: isGoing },
  ],
  steps: { cleaning: silent, halting: silent, stuck: warning("MachineHeldForData") },
  systems: { linstor },
  subjects: (hint) => [...satellitesIn(hint, name, isGoing), ...ofMachine(hint, false), ...markedIn(hint)],
  look: async ({ name = "" }, { client, linstor, settings }): Promise<Facts> => {
    const satellite = await lookAtSatellite(client, name, settings);
    if (!satellite) return undefined;
    const seen = mayCarryHooks(satellite.satellite)
      ? await withMachine(client, satellite)
      : { ...satellite, machine: undefined, leaving: false };
    const volumes = await lookAtVolumes(client, name);
    if (!isWaitedFor(seen)) return { ...seen, volumes: volumes.facts };
    const held = await heldBecause(linstor, seen, volumes, await lookAtOthers(client, seen.satellite));
    return { ...seen, volumes: volumes.facts, held };
  },
  decide,
});

/** Its Machine is being deleted, and still carries the hook that the policy Evacuate has put there. */
const isWaitedFor = ({ policy, machine, unmanagedReason }: SatelliteOnMachine) =>
  policy === "Retain" && !unmanagedReason && machine && isBeingDeleted(machine.object) && hooksOn(machine).preTerminate;

/** All satellites; those that go, or may, as far as that is written down. Throws ApiError. */
async function lookAtOthers(client: Client, { spec }: LinstorSatelliteObject): Promise<Others> {
  const unread = { leaveOut: ["metadata.managedFields"] };
  const all = await Array.fromAsync(client.list<LinstorSatelliteObject>(LinstorSatellite, unread));
  return {
    going: all.filter(isGoing).map(({ metadata }) => metadata.name),
    haveOneLinstor: all.every((other) => other.spec?.clusterRef?.name === spec?.clusterRef?.name),
  };
}

/** @throws SystemError */
async function heldBecause(
  linstor: LinstorControllers,
  seen: SatelliteOnMachine,
  volumes: VolumesSeen,
  others: Others,
): Promise<Verdict | undefined> {
  if (abandonedBecause(seen) !== undefined) return undefined;
  const { namespace, name } = seen.machine?.object.metadata ?? {};
  const giveUp = `Only to give the data up: \`kubectl annotate machine ${name} -n ${namespace} ${preTerminateHook}-\``;
  if (seen.unaddressed) return stop(`Machine ${name} is not shut down. ${seen.unaddressed}`, giveUp);
  const looked = await lookAtData(linstor.at(seen.controller), seen, volumes, others);
  if (looked.halted !== undefined)
    return stop(`Machine ${name} is not shut down. ${looked.halted.message}`, `${looked.halted.advice} ${giveUp}`);
  const last = looked.data ? lastCopies(looked.data) : [];
  if (last.length === 0) return undefined;
  return stop(
    `Machine ${name} is not shut down: the policy of LinstorSatellite ${seen.satellite.metadata.name} has become ` +
      "Retain while the Machine is being deleted, and no other node that is online and stays has an UpToDate copy " +
      `of ${listed(last)}.`,
    `Set the policy to Evacuate again, or ${moreCopies}. ${giveUp}`,
  );
}

function decide(seen: Facts, now: number): readonly Decision[] {
  if (!seen) return [];
  const { satellite, policy, unmanagedReason } = seen;
  const { leave, wait, write } = about(LinstorSatellite, satellite);
  const title = `LinstorSatellite ${satellite.metadata.name}`;
  if (isWaitedFor(seen)) return [machineOf(seen, now)];
  const isOurs = policy === "Retain" && isBeingDeleted(satellite) && hasFinalizer(satellite, satelliteFinalizer);
  if (!isOurs || unmanagedReason) return [leave(unmanagedReason ?? `${title} is not to be retained now.`)];
  const left = leftovers(seen);
  if (left)
    return [
      wait(`${title} goes when what an evacuation has left is removed: ${left}.`, {
        step: { name: "cleaning" },
        next: now + 10_000,
      }),
    ];
  const pending = removalPending(satellite, now);
  if (pending) return [write(pending.message, pending.writes, { step: { name: "cleaning" }, next: now + 10_000 })];
  const message = `${title} goes; its node and its data stay in LINSTOR, and are used again when it is re-created.`;
  return [write(message, [removeFinalizer(LinstorSatellite, satellite, satelliteFinalizer)])];
}

/** Shuts the Machine down, or says what it waits for. */
function machineOf(seen: Exclude<Facts, undefined>, now: number): Decision {
  const { satellite, machine, policy, held } = seen;
  const { wait, write } = about(LinstorSatellite, satellite);
  const report = (reason: string, message: string) => {
    const types = [conditions.evacuated, conditions.documented];
    const wanted = types.map((type) => ({ type, status: "False", reason, message }) as const);
    return conditionWrites(satellite, wanted, now);
  };
  if (held !== undefined) {
    const lasts = hasLasted(satellite, name, now, patience);
    const message = lasts ? whole(held) : held.message;
    return write(message, lasts ? report("Error", `Error: ${message}`) : report("InProgress", message), {
      step: { name: lasts ? stuck : halting },
      next: now + 10_000,
    });
  }
  // Another one that goes must not count the copies of this one from now on. Each is written down as going before it
  // looks whether the others are, so that of two which look at once one at least sees the other.
  if (!isBeingDeleted(satellite) && !isSeenDeleting(satellite))
    return wait(`LinstorSatellite ${satellite.metadata.name} is to say first that its Machine is being deleted.`, {
      step: { name: "cleaning" },
      next: now + 10_000,
    });
  const message =
    `The policy of LinstorSatellite ${satellite.metadata.name} is Retain, and every volume of its node has an ` +
    "UpToDate copy elsewhere: its Machine is shut down.";
  // A Machine without the one hook never carries the other.
  const hooks = machine ? [hooksPatch(machine, { [preDrainHook]: null, [preTerminateHook]: null })] : [];
  // A second look may have no condition to write, and then nothing else holds the satellite to what was seen.
  const holds = (live?: LinstorSatelliteObject) => policyOf(live?.spec) === policy;
  const precondition = { kind: LinstorSatellite, namespace: undefined, name: satellite.metadata.name, holds };
  return write(message, [...report("GivenUp", message), ...hooks], { preconditions: [precondition] });
}
