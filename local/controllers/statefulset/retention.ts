import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { isInRange } from "./identity.ts";
import { controllerReference } from "./make-pod.ts";
import type { SetObject } from "./set.ts";

/** A claim's pod: with a uid once it has been created, and its ordinal. */
export interface Occupant {
  pod: KubernetesObject;
  ordinal: number;
}

/**
 * Whether a claim's owner references are as the set's policy wants them, or are none of the controller's business: a
 * reference to a set or pod of this name but another uid is stale, and the claim is left to the
 * garbage collector. `isClaimOwnerUpToDate` of stateful_set_utils.go.
 */
export function ownersAreRight(claim: KubernetesObject, set: SetObject, { pod, ordinal }: Occupant): boolean {
  if (isStale(claim, set) || isStale(claim, pod)) return true;
  const references = referencesOf(claim);
  const own = references.filter(({ uid }) => uid === set.metadata.uid || uid === pod.metadata.uid);
  if (hasUnexpectedController(claim, set, pod)) return own.length === 0;
  if (own.some(({ controller }) => !controller)) return false;
  const wanted = wantedOwner(set, { pod, ordinal })?.metadata.uid;
  return own.length === (wanted ? 1 : 0) && own.every(({ uid }) => uid === wanted);
}

/** The owner references a claim should have: those of others as they are, then ours. */
export function rightOwners(claim: KubernetesObject, set: SetObject, { pod, ordinal }: Occupant): OwnerReference[] {
  const others = referencesOf(claim).filter((reference) => !names(reference, set) && !names(reference, pod));
  const owner = hasUnexpectedController(claim, set, pod) ? undefined : wantedOwner(set, { pod, ordinal });
  const present = !owner || others.some(({ uid }) => uid === owner.metadata.uid);
  return present ? others : [...others, controllerReference(owner)];
}

/**
 * Whether another object controls the claim, so that no reference of ours may be added and those there are have to go.
 * A claim that is to be retained may be controlled by any object.
 */
export function hasUnexpectedController(claim: KubernetesObject, set: SetObject, pod: KubernetesObject): boolean {
  const { whenDeleted, whenScaled } = policyOf(set);
  if (whenDeleted === "Retain" && whenScaled === "Retain") return false;
  return referencesOf(claim).some((reference) => {
    const ours = [set, pod].find((owner) => names(reference, owner));
    return ours ? reference.uid !== ours.metadata.uid : reference.controller === true;
  });
}

/**
 * Whether the claim still belongs to an earlier pod of this name, with which it is about to go: no new pod may be put
 * on it. Only where scaling down deletes claims; otherwise they are there to be used again.
 */
export function isLeftBehind(claim: KubernetesObject, set: SetObject, pod: KubernetesObject): boolean {
  return policyOf(set).whenScaled === "Delete" && isStale(claim, pod);
}

/**
 * Exactly one of set and pod at a time: the claim of a condemned pod goes with the pod, also if the set stays.
 */
function wantedOwner(set: SetObject, { pod, ordinal }: Occupant): KubernetesObject | undefined {
  const { whenDeleted, whenScaled } = policyOf(set);
  if (whenScaled === "Delete" && !isInRange(set, ordinal)) return pod;
  return whenDeleted === "Delete" ? set : undefined;
}

function policyOf({ spec }: SetObject): { whenDeleted: "Retain" | "Delete"; whenScaled: "Retain" | "Delete" } {
  const { whenDeleted = "Retain", whenScaled = "Retain" } = spec.persistentVolumeClaimRetentionPolicy ?? {};
  return { whenDeleted, whenScaled };
}

/** Whether the first reference that names the owner means another incarnation of it. */
function isStale(claim: KubernetesObject, owner: KubernetesObject): boolean {
  const reference = referencesOf(claim).find((candidate) => names(candidate, owner));
  return reference !== undefined && reference.uid !== owner.metadata.uid;
}

function names(reference: OwnerReference, { apiVersion, kind, metadata }: KubernetesObject): boolean {
  return reference.apiVersion === apiVersion && reference.kind === kind && reference.name === metadata.name;
}

function referencesOf({ metadata }: KubernetesObject): readonly OwnerReference[] {
  return metadata.ownerReferences ?? [];
}
