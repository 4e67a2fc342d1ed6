import { isEvacuating, sameName } from "../linstor/objects.ts";
import { type DataFacts, goodCopies } from "./data-facts.ts";
import { countBefore } from "./replica-floor.ts";

/**
 * Volumes of which no good copy is on another node that is online and stays: of those with a copy on the node, and of
 * those that were there when its evacuation began. A node that LINSTOR evacuates does not stay, and none
 * that goes does. Volumes that are gone from LINSTOR are left out: no PersistentVolume in use names them.
 */
export function lastCopies(facts: DataFacts): readonly string[] {
  const { node, nodes, placeCounts, before, going } = facts;
  const left = [node.name, ...going];
  const staying = nodes.filter((one) => !isEvacuating(one) && !left.some((name) => sameName(name, one.name)));
  return Object.keys({ ...countBefore(facts), ...before }).filter(
    (name) =>
      placeCounts.has(name) &&
      !goodCopies(name, facts).some((copy) => staying.some((one) => sameName(one.name, copy.node))),
  );
}
