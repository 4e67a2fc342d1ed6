import { isEvacuating, isEvicted, isOnline, type LinstorNode } from "./linstor/objects.ts";

export interface UndoFacts {
  readonly satelliteDeleting: boolean;
  /** The Node exists in Kubernetes, and is to have a satellite. */
  readonly nodeWanted: boolean;
  /**
   * The Machine that was written down: `none` if the Node never had one, `gone` if it had, and `left` if it went
   * without its Node, which Cluster API deletes before the Machine or not at all.
   */
  readonly machine: "none" | "alive" | "deleting" | "gone" | "left";
  readonly linstor: LinstorNode | undefined;
}

/**
 * Whether LINSTOR is to take back an evacuation or eviction, because nothing leaves any more. It does not stop copies
 * that are on their way: their sources still go, so that copies are counted again afterwards, and marks of the
 * evacuation are removed by themselves. While it is not known that a Machine has left its Node behind, a Machine
 * that is gone means that its Node goes, too. One that is left runs on where LINSTOR is connected with it.
 */
export function mayRestore(facts: UndoFacts): boolean {
  const isToCome = facts.machine !== "deleting" && facts.machine !== "gone";
  return isToCome && isGivenUp(facts) && facts.linstor !== undefined && isOnline(facts.linstor);
}

/**
 * Whether LINSTOR is to take it back once it is connected with the satellite. A Machine that is `left` may have left a
 * Node without a server, whose satellite does not come back.
 */
export function mustRestore(facts: UndoFacts): boolean {
  return (facts.machine === "none" || facts.machine === "alive") && isGivenUp(facts);
}

const isGivenUp = ({ satelliteDeleting, nodeWanted, linstor }: UndoFacts) =>
  linstor !== undefined && !satelliteDeleting && nodeWanted && (isEvacuating(linstor) || isEvicted(linstor));
