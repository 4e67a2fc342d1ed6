import { type CallInFlight, type PendingCall, pendingCall, readCall } from "../../../shared/chain/call-in-flight.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { LinstorSatellite } from "./kinds.ts";

/**
 * Annotation of a LinstorSatellite: when LINSTOR was last called to register its node. It is written before each call,
 * so that none begins once the satellite is being deleted; and while one may still be under way, a node that is not
 * listed does not prove that there will be none. So the object itself is the lock that a Lease would be.
 */
export const registrationKey = "holdfast.dev/registration";

/** The last call to register the satellite's node. */
export const readRegistration = (satellite: KubernetesObject): CallInFlight | undefined =>
  readCall(satellite, registrationKey);

/** Why a node that is not listed may still come; `undefined` when no call to register it can take effect. */
export function registrationPending(satellite: KubernetesObject, now: number): PendingCall | undefined {
  const message = (until: string) => `LINSTOR may still register the node ${satellite.metadata.name} until ${until}.`;
  return pendingCall(LinstorSatellite, satellite, registrationKey, now, message);
}

/**
 * Annotation of a LinstorSatellite: LINSTOR was called to remove its node, whether it has answered, and as `proven`
 * that the node was empty, and all that was on it elsewhere. A call that is carried out late removes whichever node has
 * the name then, with all data on it. So the LinstorSatellite stays, and with it the name is taken, until the call is
 * answered or can no longer take effect.
 */
export const removalKey = "holdfast.dev/removal";

/** The last call to remove the satellite's node. */
export const readRemoval = (satellite: KubernetesObject): CallInFlight | undefined => readCall(satellite, removalKey);

/** Whether a node that LINSTOR does not list was removed by us, who had proof that it may be, or the order to. */
export const isRemovalCalled = (satellite: KubernetesObject): boolean => readRemoval(satellite) !== undefined;

/** The same of a node that was empty then: it took no copy along, also if copies elsewhere were lost since. */
export const isRemovalProven = (satellite: KubernetesObject): boolean => readRemoval(satellite)?.proven === true;

/** Why the satellite is not let go yet, and LINSTOR not called again; `undefined` when no call can take effect. */
export function removalPending(satellite: KubernetesObject, now: number): PendingCall | undefined {
  const message = (until: string) =>
    `LINSTOR was called to remove the node ${satellite.metadata.name}, and its answer did not arrive: the call may ` +
    `still take effect until ${until}. The LinstorSatellite stays until then: otherwise the late call could remove a ` +
    "new node of this name.";
  return pendingCall(LinstorSatellite, satellite, removalKey, now, message);
}

/**
 * Annotation of a LinstorSatellite: LINSTOR was called to restore its node, and whether it has answered. A call that is
 * carried out late takes back an evacuation that has begun since, in the middle of its copies.
 */
export const restorationKey = "holdfast.dev/restoration";

/** Why the node is not evacuated yet; `undefined` when no call to restore it can take effect. */
export function restorationPending(satellite: KubernetesObject, now: number): PendingCall | undefined {
  const message = (until: string) =>
    `LINSTOR has not answered a call to restore ${satellite.metadata.name}, which may take effect until ${until}.`;
  return pendingCall(LinstorSatellite, satellite, restorationKey, now, message);
}
