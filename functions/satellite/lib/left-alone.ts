import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { SatelliteSnapshot } from "./look-at-satellite.ts";
import { isSeenDeleting } from "./machine.ts";
import { abandonedBecause } from "./satellite.ts";

/**
 * Why what a satellite needs while it stays is not done for it, as a sentence; `undefined` when it is. `ifLeaving` is
 * said of one that leaves, after its name; without it, that it leaves is no reason. Cluster API is not asked: that its
 * Machine leaves is written down before anything is done about it, and an outage there must not stop what this
 * cluster's volumes need.
 */
export function leftAlone(seen: SatelliteSnapshot, ifLeaving?: string): string | undefined {
  const { satellite, node, unmanagedReason, unaddressed } = seen;
  const title = `LinstorSatellite ${satellite.metadata.name}`;
  if (unmanagedReason) return unmanagedReason;
  if (ifLeaving && isLeaving(seen)) return `${title} ${ifLeaving}`;
  return node ? (abandonedBecause(seen) ?? unaddressed) : `The Node of ${title} is gone.`;
}

/** Whether a satellite is being deleted or evacuated, as far as that is written down. */
export const isLeaving = ({ satellite, record, policy }: SatelliteSnapshot): boolean =>
  isBeingDeleted(satellite) || record !== undefined || (policy === "Evacuate" && isSeenDeleting(satellite));
