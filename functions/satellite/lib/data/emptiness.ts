import { isDiskless, isEvicted, isLeaving, isOnline } from "../linstor/objects.ts";
import {
  act,
  copiesInTheMaking,
  copiesOn,
  type DataFacts,
  done,
  listed,
  stop,
  type Verdict,
  wait,
  warningsOf,
} from "./data-facts.ts";
import { offline } from "./may-evacuate.ts";
import { describeShortfalls, giveUpData, lastSnapshots, moreCopies, shortfalls } from "./replica-floor.ts";

/**
 * Whether the evacuation is complete: nothing is listed on the node, no resource and no snapshot, and of everything
 * that was there as many good copies are elsewhere as there were. An empty node alone is no proof: LINSTOR deletes what
 * it holds to be stale, and does not replace it.
 */
export function emptiness(facts: DataFacts): Verdict {
  const here = copiesOn(facts);
  const { node, snapshots } = facts;
  if (here.length) {
    if (!isOnline(node)) return offline(facts);
    const used = here.filter(({ inUse }) => inUse);
    const making = copiesInTheMaking(new Set(here.map(({ name }) => name)), facts);
    const leaving = here.filter((copy) => isLeaving(copy) && !copy.inUse);
    const stuck = here.every(({ replicated }) => !replicated);
    const kinds = here.map((copy) => `${copy.name}${isDiskless(copy) ? " (diskless)" : ""}`);
    const sentence = [
      `Still on the node: ${listed(kinds)}${snapshots.length ? `, and ${snapshots.length} snapshots` : ""}.`,
      ...(making.length ? [`Copies are being made on ${listed(making.map((copy) => copy.node))}.`] : []),
      ...(used.length ? [`In use there: ${listed(used.map(({ name }) => name))}.`] : []),
      ...(leaving.length
        ? [
            `Being deleted there: ${listed(leaving.map(({ name }) => name))}; if this takes minutes, the log of ` +
              `the satellite on ${node.name} says what it cannot delete.`,
          ]
        : []),
    ].join(" ");
    return stuck
      ? stop(`${sentence} They are not replicated, and LINSTOR cannot move them.${warningsOf(facts)}`)
      : wait(sentence + warningsOf(facts));
  }
  if (snapshots.length) {
    const last = lastSnapshots(facts);
    const which = listed(snapshots.map(({ name, resource }) => `${resource}/${name}`));
    const only = last.length ? ` Of ${listed(last)} there is no other copy.` : "";
    return stop(
      `Still on the node: the snapshots ${which}, and nothing else.${only} LINSTOR does not move them from ` +
        `this kind of pool.${warningsOf(facts)}`,
      "If you need them, back them up. Then delete them on this node.",
    );
  }
  const short = shortfalls(facts);
  if (!short.length) return done("The node is empty, and every volume that was there has its copies elsewhere.");
  return stop(
    `The node is empty, but too few copies are UpToDate elsewhere: ${describeShortfalls(short)}. Holdfast ` +
      `removes the satellite only when there are enough.${warningsOf(facts)}`,
    `Where a good copy is left, ${moreCopies}. Where none is, ${giveUpData}.`,
  );
}

/** Whether LINSTOR lists nothing on the node. It does not look at other nodes. */
export const isBare = (facts: DataFacts): boolean => copiesOn(facts).length === 0 && facts.snapshots.length === 0;

/**
 * How a node that was evacuated is removed: an evicted one is not deleted by DELETE, which answers 200 all the same.
 */
export type Removal = Verdict & { readonly by?: "delete" | "lose" };

/**
 * Whether an evacuated node may be removed from LINSTOR. The same proof as for the end of the evacuation is asked for
 * again, because LINSTOR deletes a node together with all that is on it. `undefined`: LINSTOR does not list it.
 */
export function mayRemove(facts: DataFacts | undefined): Removal {
  if (!facts) return done("LINSTOR does not list the node any more.");
  const empty = emptiness(facts);
  if (empty.do !== "done") return empty;
  if (!isEvicted(facts.node))
    return { ...act("The node is empty in LINSTOR, and nothing is lost with it."), by: "delete" };
  if (isOnline(facts.node))
    return wait("LINSTOR has evicted the node, and its satellite is connected: it has to stop first.");
  return { ...act("LINSTOR has evicted the node, and it is empty."), by: "lose" };
}
