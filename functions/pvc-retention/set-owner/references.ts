import type { Precondition } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { guardedPatch } from "../../../shared/kubernetes/guarded-patch.ts";
import { Namespace, PersistentVolumeClaim, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { policyKey } from "../lib/policy.ts";
import type { StatefulSet } from "../lib/stateful-set.ts";
import { takesAlong } from "./notes.ts";

const path = "/metadata/ownerReferences";

const referencesOf = ({ metadata }: KubernetesObject): readonly OwnerReference[] => metadata.ownerReferences ?? [];

/** The reference by which a claim or pod goes with this very set, be it ours or that of Kubernetes' own controller. */
export const referenceTo = (object: KubernetesObject, { metadata }: StatefulSet): OwnerReference | undefined =>
  referencesOf(object).find(({ uid, controller }) => uid === metadata.uid && controller === true);

export const isControlledBy = (object: KubernetesObject, set: StatefulSet): boolean =>
  referenceTo(object, set) !== undefined;

/** Whether the reference is ours: Kubernetes' own controller lets claims block their owner's deletion. */
export const isOurs = ({ blockOwnerDeletion }: OwnerReference): boolean => blockOwnerDeletion === false;

/** The owner that forbids a reference to the set: the claim's controller, or an earlier set of the name. */
export const inTheWay = (claim: KubernetesObject, { metadata }: StatefulSet): OwnerReference | undefined =>
  referencesOf(claim)
    .filter(({ uid }) => uid !== metadata.uid)
    .find(({ kind, name, controller }) => controller || (kind === Sets.kind && name === metadata.name));

/** Removes the reference, and no other. */
export function untie(claim: KubernetesObject, reference: OwnerReference): Write {
  const place = `${path}/${referencesOf(claim).indexOf(reference)}`;
  const test = { op: "test", path: `${place}/uid`, value: reference.uid };
  return guardedPatch(PersistentVolumeClaim, claim, [test, { op: "remove", path: place }]);
}

/** Ties the claim to the set. The reference does not block the set's deletion: a claim outlives its set by design. */
export function tie(claim: KubernetesObject, { metadata }: StatefulSet): Write {
  const { apiVersion, kind } = Sets;
  const { name, uid } = metadata;
  const value = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false };
  const add = claim.metadata.ownerReferences ? { path: `${path}/-`, value } : { path, value: [value] };
  return guardedPatch(PersistentVolumeClaim, claim, [{ op: "add", ...add }]);
}

/**
 * What a reference to the set depends on: that very set is alive, and it deletes its claims, as its namespace does.
 * Asked right before the write, because a policy that keeps counts as soon as it is there.
 */
export function whileItDeletes(set: StatefulSet): readonly Precondition[] {
  const { namespace, name, uid, annotations } = set.metadata;
  const own = annotations?.[policyKey];
  const holds = (live: KubernetesObject | undefined) =>
    live?.metadata.uid === uid &&
    !isBeingDeleted(live) &&
    (own === undefined || live.metadata.annotations?.[policyKey] !== undefined) &&
    takesAlong(live as StatefulSet, undefined);
  const ofSet = { kind: Sets, namespace, name, holds };
  if (own !== undefined || namespace === undefined) return [ofSet];
  const ofHome = (live: KubernetesObject | undefined) => takesAlong(set, live);
  return [ofSet, { kind: Namespace, namespace: undefined, name: namespace, holds: ofHome }];
}
