import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { abandonedBecause, type SatelliteSeen } from "./look.ts";

/**
 * Why what a satellite needs while it stays is not done for it, as a sentence; `undefined` when it is. `ifLeaving` is
 * said of one that leaves, after its name.
 */
export function leftAlone(seen: SatelliteSeen, ifLeaving: string): string | undefined {
  const { satellite, node, record, leaving, foreign } = seen;
  const title = `LinstorSatellite ${satellite.metadata.name}`;
  if (foreign) return foreign;
  if (isBeingDeleted(satellite) || leaving || record) return `${title} ${ifLeaving}`;
  return node ? abandonedBecause(seen) : `The Node of ${title} is gone.`;
}
