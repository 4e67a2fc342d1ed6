import { isEvacuating, isEvicted, isOnline, type LinstorNode } from "./linstor/node.ts";

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
export function mayRestore({ satelliteDeleting, nodeWanted, machine, linstor }: UndoFacts): boolean {
  if (!linstor || satelliteDeleting || !nodeWanted || machine === "deleting" || machine === "gone") return false;
  return (isEvacuating(linstor) || isEvicted(linstor)) && isOnline(linstor);
}
