import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { SatelliteSnapshot } from "./look-at-satellite.ts";
import type { MachineSeen } from "./machine.ts";
import { ownerOf } from "./satellite.ts";

/**
 * Why a satellite is let go without LINSTOR, as a sentence; `undefined` where LINSTOR is to be asked. A LinstorCluster
 * that is being deleted takes all of its satellites along: no satellite is left to move data to, and nobody has asked
 * for all of it to be given up. The Machine counts where it was looked at.
 */
export function abandonedBecause({
  satellite,
  machine,
  cluster,
}: Pick<SatelliteSnapshot, "satellite" | "cluster"> & { readonly machine?: MachineSeen | undefined }):
  | string
  | undefined {
  if (machine?.clusterDeleting) return "The whole cluster is being deleted, and the data of its satellites with it.";
  const { name } = satellite.spec?.clusterRef ?? {};
  if (!name) return undefined;
  if (!cluster) return `The LinstorCluster ${name} is gone, and the satellite is let go without LINSTOR.`;
  if (!isBeingDeleted(satellite)) return undefined;
  // One of the same name that has come since did not ask for this deletion: garbage collection did.
  const owner = ownerOf(satellite);
  if (owner?.name === name && owner.uid !== cluster.metadata.uid)
    return `The LinstorCluster ${name} was replaced, and the satellite of the former one is let go without LINSTOR.`;
  return isBeingDeleted(cluster)
    ? `The LinstorCluster ${name} is being deleted, and the satellite is let go without LINSTOR.`
    : undefined;
}
