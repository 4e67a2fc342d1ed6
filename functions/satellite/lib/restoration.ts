import { mayTakeEffectUntil, readCall } from "../../../shared/chain/call-in-flight.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/**
 * Annotation of a LinstorSatellite: LINSTOR was called to restore its node, and whether it has answered. A call that is
 * carried out late takes back an evacuation that has begun since, in the middle of its copies.
 */
export const restorationKey = "holdfast.dev/restoration";

/** Why the node is not evacuated yet, as a sentence; `undefined` when no call to restore it can take effect. */
export function restorationPending(satellite: KubernetesObject, now: number): string | undefined {
  const until = mayTakeEffectUntil(readCall(satellite, restorationKey), now);
  if (until === undefined) return undefined;
  const time = new Date(until).toISOString();
  return `LINSTOR has not answered a call to restore ${satellite.metadata.name}, which may take effect until ${time}.`;
}
