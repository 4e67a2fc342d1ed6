import { type CallInFlight, mayTakeEffectUntil, readCall } from "../../../shared/chain/call-in-flight.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/**
 * Annotation of a LinstorSatellite: when LINSTOR was last called to register its node. It is written before each call,
 * so that none begins once the satellite is being deleted; and while one may still be under way, a node that is not
 * listed does not prove that there will be none. So the object itself is the lock that a Lease would be.
 */
export const registrationKey = "holdfast.dev/registration";

/** The last call to register the satellite's node. */
export const readRegistration = (satellite: KubernetesObject): CallInFlight | undefined =>
  readCall(satellite, registrationKey);

/** Until when a call to register the node may still have its effect; `undefined` when none can. */
export const registrationUntil = (satellite: KubernetesObject, now: number): number | undefined =>
  mayTakeEffectUntil(readRegistration(satellite), now);
