import { isEvacuating, isEvicted, isOnline, type LinstorNode } from "./linstor/node.ts";

export interface UndoFacts {
  readonly satelliteDeleting: boolean;
  /** The Node exists in Kubernetes, and is to have a satellite. */
  readonly nodeWanted: boolean;
  /** The Machine that was written down: `none` if the Node never had one, `gone` if it had. */
  readonly machine: "none" | "alive" | "deleting" | "gone";
  readonly linstor: LinstorNode | undefined;
}

/**
 * Whether LINSTOR is to take back an evacuation or eviction, because nothing leaves any more. It does not stop copies
 * that are on their way: their sources still go, so that copies are counted again afterwards, and marks of the
 * evacuation are removed by themselves. A Machine that is gone means that its Node goes, too, even if it is still
 * listed.
 */
export function mayRestore({ satelliteDeleting, nodeWanted, machine, linstor }: UndoFacts): boolean {
  if (!linstor || satelliteDeleting || !nodeWanted || machine === "deleting" || machine === "gone") return false;
  return (isEvacuating(linstor) || isEvicted(linstor)) && isOnline(linstor);
}
