import { about } from "../../../shared/about.ts";
import { wasJustCalled } from "../../../shared/chain/call-in-flight.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent, warning } from "../../../shared/steps.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import { loseNode } from "../lib/commands.ts";
import { whole } from "../lib/data/data-facts.ts";
import { lookAtOwnNode, witnessProblem } from "../lib/data/look-at-data.ts";
import { LinstorSatellite, onMachine } from "../lib/kinds.ts";
import { leftovers } from "../lib/leftovers.ts";
import { isOnline, type LinstorNode } from "../lib/linstor/objects.ts";
import { linstor } from "../lib/linstor/system.ts";
import { linstorKey, noteChange } from "../lib/linstor-note.ts";
import { lookAtSatellite, type SatelliteOnMachine, withMachine } from "../lib/look-at-satellite.ts";
import { mayCarryHooks } from "../lib/machine.ts";
import { markedIn } from "../lib/marked-satellites.ts";
import { noteRemoval, withdrawCall } from "../lib/note-removal.ts";
import { readRemoval, registrationKey, registrationPending, removalKey, removalPending } from "../lib/noted-calls.ts";
import { isGoing } from "../lib/record.ts";
import { abandonedBecause, conditions, conditionWrites, satelliteFinalizer } from "../lib/satellite.ts";
import { type Common, mayLook, satelliteRule } from "../lib/satellite-rule.ts";
import { ofMachine, satellitesIn } from "../lib/subjects.ts";
import { lookAtVolumes, type VolumeFacts } from "../lib/volumes.ts";

const name = "satellite/remove-lost";

/** A satellite with the volumes of its node, and its node in LINSTOR; `undefined` when the satellite is gone. */
export type Facts =
  | (SatelliteOnMachine & {
      readonly volumes: readonly VolumeFacts[];
      readonly linstor: LinstorNode | undefined;
      /** Why what LINSTOR lists is not about its node, as a sentence. */
      readonly moved?: string | undefined;
      /** The annotation that says in which LINSTOR the node is, where it does not say so yet. */
      readonly note?: Readonly<Record<string, string>>;
    })
  | undefined;

export const removeLost = rule({
  name,
  doc:
    "Gives up a satellite with the policy Delete with all its data, as soon as its node is no longer connected " +
    "to LINSTOR.",
  ...satelliteRule,
  triggers: [on(LinstorSatellite, ["update"]), ...onMachine(["update"]), on(PersistentVolume, ["update"])],
  permissions: mayLook({
    why: "to note that LINSTOR gives the node up, and to remove the finalizer when it has",
    writes: { annotations: [linstorKey, registrationKey, removalKey], finalizers: [satelliteFinalizer] },
    volumes: "list",
    machines: "read",
    conditions: [conditions.deleted],
    events: "the satellite",
  }),
  sweep: [whileDeleting(LinstorSatellite, satelliteFinalizer)],
  finalizers: [
    { kind: LinstorSatellite, finalizer: satelliteFinalizer, standsFor: "nodes of LINSTOR", isUnderWay: isGoing },
  ],
  steps: { cleaning: silent, registering: silent, connected: silent, losing: silent, stuck: warning("RemovalStuck") },
  systems: { linstor },
  subjects: (hint) => [...satellitesIn(hint, name, isGoing), ...ofMachine(hint, false), ...markedIn(hint)],
  look: async ({ name = "" }, { client, linstor, settings }): Promise<Facts> => {
    const satellite = await lookAtSatellite(client, name, settings);
    if (!satellite) return undefined;
    const onMachine = await withMachine(client, satellite).catch((error) => {
      // What is known not to carry our hooks has nothing to be taken off.
      if (!(error instanceof SystemError) || mayCarryHooks(satellite.satellite)) throw error;
      return { ...satellite, machine: undefined, leaving: false };
    });
    const { unmanagedReason, unaddressed } = satellite;
    const seen = {
      ...onMachine,
      unmanagedReason: unmanagedReason ?? (abandonedBecause(onMachine) ? undefined : unaddressed),
    };
    const { facts: volumes } = await lookAtVolumes(client, name);
    if (!isOurs(seen) || abandonedBecause(seen)) return { ...seen, volumes, linstor: undefined };
    const own = linstor.at(seen.controller);
    const { node, ...other } = await lookAtOwnNode(own, seen);
    const halted = other.moved ?? witnessProblem(node, seen.policy);
    const moved = halted && whole(halted);
    const note = node ? noteChange(seen.satellite, own.url, node.uuid) : {};
    return { ...seen, volumes, linstor: node, moved, note };
  },
  decide,
});

const isOurs = ({ policy, satellite, unmanagedReason }: SatelliteOnMachine) =>
  policy === "Delete" && isBeingDeleted(satellite) && hasFinalizer(satellite, satelliteFinalizer) && !unmanagedReason;

function decide(seen: Facts, now: number, { satelliteLookAgain }: Common): readonly Decision[] {
  if (!seen) return [];
  const { satellite, linstor: node, unmanagedReason, moved, note = {} } = seen;
  const { leave, write, call } = about(LinstorSatellite, satellite);
  const title = `LinstorSatellite ${satellite.metadata.name}`;
  if (!isOurs(seen)) return [leave(unmanagedReason ?? `${title} is not to be given up now.`)];
  const report = (message: string) =>
    conditionWrites(satellite, [{ type: conditions.deleted, status: "False", reason: "InProgress", message }], now);
  const waiting = (step: string, message: string, also: readonly Write[] = []) =>
    write(message, [...report(message), ...also], { step: { name: step }, next: now + satelliteLookAgain });
  const left = leftovers(seen);
  if (left) return [waiting("cleaning", `${title} goes when what an evacuation has left is removed: ${left}.`)];
  if (moved !== undefined) {
    const message = `Error: ${moved}`;
    const report = { type: conditions.deleted, status: "False", reason: "Error", message } as const;
    return [
      write(moved, conditionWrites(satellite, [report], now), {
        step: { name: "stuck" },
        next: now + satelliteLookAgain,
      }),
    ];
  }
  if (Object.keys(note).length > 0)
    return [
      write(
        `${title} gets a note that says in which LINSTOR its node is.`,
        [annotate(LinstorSatellite, satellite, note)],
        {
          progress: "unchanged",
        },
      ),
    ];
  const pending = removalPending(satellite, now);
  if (pending) return [waiting("losing", pending.message, pending.writes)];
  const registered = abandonedBecause(seen) ? undefined : registrationPending(satellite, now);
  if (!node && registered) return [waiting("registering", registered.message, registered.writes)];
  if (!node)
    return [
      write(abandonedBecause(seen) ?? `LINSTOR does not list the node of ${title} any more: it goes.`, [
        removeFinalizer(LinstorSatellite, satellite, satelliteFinalizer),
      ]),
    ];
  // CONNECTED, too: LINSTOR refuses both (506).
  if (isOnline(node) || node.connection === "CONNECTED") {
    const refused = withdrawCall(satellite, now);
    return [
      waiting(
        "connected",
        `The satellite of ${title} is not OFFLINE in LINSTOR, and cannot be given up before: ` +
          "its DaemonSet must be removed.",
        refused ? [refused] : [],
      ),
    ];
  }
  if (wasJustCalled(readRemoval(satellite), now, satelliteLookAgain))
    return [waiting("losing", `Holdfast has called LINSTOR to give up the node of ${title}. LINSTOR still lists it.`)];
  const message = `LINSTOR gives up the node of ${title} with all data on it, as its policy Delete says.`;
  const { before, ...outcome } = noteRemoval(satellite, now);
  return [
    call(message, {
      step: { name: "losing" },
      writes: [before, ...report(message)],
      ...outcome,
      command: loseNode({ at: seen.controller, node: node.name }),
      next: now + satelliteLookAgain,
    }),
  ];
}
