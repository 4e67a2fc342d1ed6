import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent, warning } from "../../../shared/steps.ts";
import { resync } from "../../../shared/sweep.ts";
import { restoreNode } from "../lib/commands.ts";
import { LinstorSatellite, onMachine } from "../lib/kinds.ts";
import { isEvacuating, isEvicted, isOnline, isWitnessed, type LinstorNode } from "../lib/linstor/node.ts";
import { linstor } from "../lib/linstor/system.ts";
import { lookAtOwnNode, lookAtSatellite, type SatelliteSeen } from "../lib/look.ts";
import { candidateOf } from "../lib/matching/candidate.ts";
import { satelliteWanted } from "../lib/matching/satellite-wanted.ts";
import { conditions } from "../lib/names.ts";
import { mayLook } from "../lib/permissions.ts";
import { recordKey } from "../lib/record.ts";
import { conditionWrites } from "../lib/satellite.ts";
import { satelliteRule } from "../lib/satellite-rule.ts";
import { nextLook } from "../lib/step-rule.ts";
import { isGoing, ofMachine, satellitesIn } from "../lib/subjects.ts";
import { mayRestore, type UndoFacts } from "../lib/undo.ts";

const name = "satellite/restore";

/** A satellite with its node in LINSTOR, where it is alive; `undefined` when it is gone. */
export type Facts =
  | (SatelliteSeen & {
      readonly linstor: LinstorNode | undefined;
      /** Why what LINSTOR lists is not about its node, as a sentence. */
      readonly moved?: string | undefined;
      /** Its Machine is gone, and its Node, read after that, is there and stays. */
      readonly isLeft: boolean;
    })
  | undefined;

export const restore = rule({
  name,
  doc:
    "Takes an evacuation or eviction back in LINSTOR when nothing leaves any more, " +
    "and forgets what was written down about it.",
  ...satelliteRule,
  wakes: [on(LinstorSatellite, ["update"]), ...onMachine(["update", "delete"])],
  may: mayLook({ conditions: true, events: true }),
  sweep: [resync(LinstorSatellite)],
  steps: { restoring: silent, left: warning("NodeLeftBehind"), stuck: warning("EvacuationStuck") },
  systems: { linstor },
  subjects: (hint) => [...satellitesIn(hint, name, isGoing), ...ofMachine(hint, false)],
  look: async ({ name = "" }, { client, linstor }): Promise<Facts> => {
    const seen = await lookAtSatellite(client, name, "asks LINSTOR");
    if (!seen) return undefined;
    const isAlive = !isBeingDeleted(seen.satellite) && !seen.leaving && !seen.foreign;
    const isGone = isAlive && seen.identity !== undefined && seen.machine === undefined;
    // Cluster API deletes the Node first: one that was read before the Machine may have gone with it.
    const node = isGone ? await client.get(Node, undefined, name) : undefined;
    const own = isAlive ? await lookAtOwnNode(linstor.at(seen.controller), seen) : {};
    return {
      ...seen,
      linstor: own.node && isWitnessed(own.node) ? own.node : undefined,
      moved: own.moved,
      isLeft: node !== undefined && node.metadata.uid === seen.node?.metadata.uid && !isBeingDeleted(node),
    };
  },
  decide,
});

function decide(seen: Facts, now: number): readonly Decision[] {
  if (!seen) return [];
  const { satellite, linstor: node, record, foreign, leaving, moved } = seen;
  const { leave, call, write } = about(LinstorSatellite, satellite);
  const title = `LinstorSatellite ${satellite.metadata.name}`;
  if (foreign || leaving || isBeingDeleted(satellite))
    return [leave(foreign ?? `${title} leaves: nothing is taken back.`)];
  // Without a record it is registered where its LinstorCluster says now. With one nobody does that, and copies of it
  // may still be on their way where it was.
  if (moved !== undefined && record) {
    const report = [conditions.evacuated, conditions.documented].map(
      (type) => ({ type, status: "False", reason: "Error", message: `Error: ${moved}` }) as const,
    );
    const next = nextLook(satellite, name, now);
    return [write(moved, conditionWrites(satellite, report, now), { step: { name: "stuck" }, next })];
  }
  const facts = undoFacts(seen);
  if (mayRestore(facts))
    return [
      call(`${title} stays: LINSTOR takes its evacuation back.`, {
        step: { name: "restoring" },
        command: restoreNode({ at: seen.controller, node: node?.name ?? satellite.metadata.name }),
        next: nextLook(satellite, name, now),
      }),
    ];
  const isOver = facts.machine !== "deleting" && facts.machine !== "gone";
  if (record && facts.machine === "left" && node && !isOnline(node)) {
    const because =
      `The Machine of ${title} is gone, and Cluster API has left its Node, on which no satellite runs any more: ` +
      "delete the Node, and the satellite goes with it.";
    return [write(because, [], { step: { name: "left" } })];
  }
  if (!record || !facts.nodeWanted || !isOver || !node || isEvacuating(node) || isEvicted(node))
    return [leave(`There is no evacuation of ${title} to take back now.`)];
  const because =
    `${title} stays: its evacuation is given up. Copies that were on their way are still made, ` +
    "and their sources go.";
  const report = [conditions.evacuated, conditions.documented].map(
    (type) => ({ type, status: "False", reason: "GivenUp", message: because }) as const,
  );
  return [
    write(because, [
      ...conditionWrites(satellite, report, now),
      annotate(LinstorSatellite, satellite, { [recordKey]: null }),
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
