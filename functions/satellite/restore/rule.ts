import { about } from "../../../shared/about.ts";
import { mayTakeEffectUntil, noteCall, readCall, wasJustCalled } from "../../../shared/chain/call-in-flight.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent, warning } from "../../../shared/steps.ts";
import { poll, resync } from "../../../shared/sweep.ts";
import { restoreNode } from "../lib/commands.ts";
import { type ConfiguredSeen, lookAtConfigured } from "../lib/configuration/configured-satellite.ts";
import { whole } from "../lib/data/data-facts.ts";
import { lookAtOwnNode } from "../lib/data/look-at-data.ts";
import { LinstorSatellite, onMachine } from "../lib/kinds.ts";
import { isEvacuating, isEvicted, isOnline, isWitnessed, type LinstorNode } from "../lib/linstor/objects.ts";
import { linstor } from "../lib/linstor/system.ts";
import { type SatelliteOnMachine, withMachine } from "../lib/look-at-satellite.ts";
import { candidateOf } from "../lib/matching/candidate.ts";
import { satelliteWanted } from "../lib/matching/satellite-wanted.ts";
import { restorationKey } from "../lib/noted-calls.ts";
import { isGoing, recordKey } from "../lib/record.ts";
import { conditions, conditionWrites, lifeConditions } from "../lib/satellite.ts";
import { mayLook, satelliteRule } from "../lib/satellite-rule.ts";
import { ofMachine, satellitesIn } from "../lib/subjects.ts";
import { mayRestore, mustRestore, type UndoFacts } from "../lib/undo.ts";

const name = "satellite/restore";
/** Milliseconds after which to look whether a satellite is connected again, which an event says sooner. */
const returnsWithin = 300_000;

/** A satellite with its node in LINSTOR, where it is alive; `undefined` when it is gone. */
export type Facts =
  | (ConfiguredSeen &
      SatelliteOnMachine & {
        readonly linstor: LinstorNode | undefined;
        /** Why what LINSTOR lists is not about its node, as a sentence. */
        readonly moved?: string | undefined;
        /** LINSTOR has no node of its name. */
        readonly isUnlisted: boolean;
        /** Its Machine is gone, and its Node, read after that, is there and stays. */
        readonly isLeft: boolean;
      })
  | undefined;

export const restore = rule({
  name,
  doc:
    "Undoes an evacuation or eviction in LINSTOR when the satellite is to stay, " +
    "and removes what was written down about it.",
  ...satelliteRule,
  triggers: [on(LinstorSatellite, ["add", "update"]), ...onMachine(["update", "delete"])],
  permissions: mayLook({
    why: "to see whether the satellite is to stay, and to remove the record of an evacuation that is undone",
    writes: { annotations: [recordKey, restorationKey] },
    machines: "read",
    conditions: [conditions.evacuated, conditions.documented, lifeConditions.available],
    events: "the satellite",
  }),
  // Of an evacuation that a person has asked LINSTOR for, no event says anything.
  sweep: [resync(LinstorSatellite), poll(LinstorSatellite, "1h")],
  steps: { restoring: silent, offline: silent, left: warning("NodeLeftBehind"), stuck: warning("EvacuationStuck") },
  systems: { linstor },
  // One that is created again may find its node as the evacuation of the one before has left it.
  subjects: (hint) => [
    ...satellitesIn(hint, name, (satellite) => hint.change === "add" || isGoing(satellite)),
    ...ofMachine(hint, false),
  ],
  look: async ({ name = "" }, { client, linstor, settings }): Promise<Facts> => {
    const satellite = await lookAtConfigured(client, name, settings);
    if (!satellite) return undefined;
    const { unmanagedReason, unaddressed } = satellite;
    const seen = await withMachine(client, { ...satellite, unmanagedReason: unmanagedReason ?? unaddressed });
    const isAlive = !isBeingDeleted(seen.satellite) && !seen.leaving && !seen.unmanagedReason;
    const isGone = isAlive && seen.identity !== undefined && seen.machine === undefined;
    // Cluster API deletes the Node first: one that was read before the Machine may have gone with it.
    const node = isGone ? await client.get(Node, undefined, name) : undefined;
    const own = isAlive ? await lookAtOwnNode(linstor.at(seen.controller), seen) : {};
    return {
      ...seen,
      linstor: own.node && isWitnessed(own.node) ? own.node : undefined,
      moved: own.moved && whole(own.moved),
      isUnlisted: isAlive && !own.node && !own.moved,
      isLeft: node !== undefined && node.metadata.uid === seen.node?.metadata.uid && !isBeingDeleted(node),
    };
  },
  decide,
});

function decide(seen: Facts, now: number): readonly Decision[] {
  if (!seen) return [];
  const { satellite, linstor: node, record, unmanagedReason, leaving, moved } = seen;
  const { leave, call, write, wait } = about(LinstorSatellite, satellite);
  const title = `LinstorSatellite ${satellite.metadata.name}`;
  if (unmanagedReason || leaving || isBeingDeleted(satellite))
    return [leave(unmanagedReason ?? `${title} leaves: nothing is undone.`)];
  // Without a record it is registered where its LinstorCluster says now. With one no rule does that, and copies of it
  // may still be on their way where it was.
  if (moved !== undefined && record) {
    const report = [conditions.evacuated, conditions.documented].map(
      (type) => ({ type, status: "False", reason: "Error", message: `Error: ${moved}` }) as const,
    );
    const next = now + 10_000;
    return [write(moved, conditionWrites(satellite, report, now), { step: { name: "stuck" }, next })];
  }
  const facts = undoFacts(seen);
  if (mustRestore(facts) && node && !isOnline(node)) {
    const message = `${title} stays: LINSTOR undoes its evacuation as soon as it is connected with the satellite.`;
    return [wait(message, { step: { name: "offline" }, next: now + returnsWithin })];
  }
  const last = readCall(satellite, restorationKey);
  if (mayRestore(facts)) {
    const message = `${title} stays: LINSTOR undoes its evacuation.`;
    const step = { step: { name: "restoring" }, next: now + 10_000 };
    if (wasJustCalled(last, now, 10_000)) return [wait(message, step)];
    const { annotations, settled, unsent } = noteCall(LinstorSatellite, satellite, restorationKey, now);
    return [
      call(message, {
        ...step,
        writes: [annotate(LinstorSatellite, satellite, annotations)],
        command: restoreNode({ at: seen.controller, node: node?.name ?? satellite.metadata.name }),
        answered: settled("answered"),
        unsent: unsent(),
      }),
    ];
  }
  const isOver = facts.machine !== "deleting" && facts.machine !== "gone";
  if (record && facts.machine === "left" && node && !isOnline(node)) {
    const message =
      `The Machine of ${title} is gone, and Cluster API has left its Node, on which no satellite runs any more: ` +
      "delete the Node, and the satellite goes with it.";
    return [write(message, [], { step: { name: "left" } })];
  }
  const isTakenBack = node ? !isEvacuating(node) && !isEvicted(node) : seen.isUnlisted;
  const isSettled = isTakenBack && last !== undefined && mayTakeEffectUntil(last, now) === undefined;
  const clearedNote = isSettled ? { [restorationKey]: null } : {};
  if (!record || !facts.nodeWanted || !isOver || !isTakenBack) {
    const nothing = `There is no evacuation of ${title} to undo now.`;
    return [isSettled ? write(nothing, [annotate(LinstorSatellite, satellite, clearedNote)]) : leave(nothing)];
  }
  const rest = node
    ? "Copies that were on their way are still made, and their sources go."
    : "LINSTOR does not list its node any more, and the satellite is registered again.";
  const message = `${title} stays: its evacuation is given up. ${rest}`;
  const report = [conditions.evacuated, conditions.documented].map(
    (type) => ({ type, status: "False", reason: "GivenUp", message }) as const,
  );
  // What registers it looks at those that are not available.
  const absent = { type: lifeConditions.available, status: "False", reason: "NotConnected", message } as const;
  return [
    write(message, [
      ...conditionWrites(satellite, node ? report : [...report, absent], now),
      annotate(LinstorSatellite, satellite, { [recordKey]: null, ...clearedNote }),
    ]),
  ];
}

function undoFacts({
  satellite,
  node,
  cluster,
  identity,
  machine,
  linstor,
  isLeft,
}: Exclude<Facts, undefined>): UndoFacts {
  const wanted = node !== undefined && satelliteWanted(candidateOf(node), cluster?.spec ?? {}, "has one").wanted;
  const present = machine && (isBeingDeleted(machine.object) ? "deleting" : "alive");
  return {
    satelliteDeleting: isBeingDeleted(satellite),
    nodeWanted: wanted,
    machine: identity ? (present ?? (isLeft ? "left" : "gone")) : "none",
    linstor,
  };
}
