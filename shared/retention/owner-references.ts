import { guardedPatch } from "../kubernetes/guarded-patch.ts";
import { type Kind, PersistentVolumeClaim, Pod, StatefulSet } from "../kubernetes/kind.ts";
import type { KubernetesObject, OwnerReference } from "../kubernetes/object.ts";
import type { Write } from "../kubernetes/write.ts";
import { podName, retentionInForce, type StatefulSet as StatefulSetLike } from "./stateful-set.ts";

/** The rule that keeps the references of claims to their set, and notes on each claim what it has done. */
export const owningRule = "pvc-retention/own";

/** What a claim's owner references say of its set and of the set's pod that goes with the claim. */
export interface Owners {
  /** The reference to the set, and to the pod: of this very uid. */
  readonly set: OwnerReference | undefined;
  readonly pod: OwnerReference | undefined;
  /** A reference to a set or pod of the same name and another uid. Kubernetes leaves such claims alone, and so do we. */
  readonly stale: OwnerReference | undefined;
  /** Somebody else's reference that says it controls the claim. */
  readonly foreignController: OwnerReference | undefined;
  /** Other people's references that control nothing: as long as one of their owners lives, the garbage collector keeps the claim. */
  readonly foreign: readonly OwnerReference[];
}

/** A pod that exists, or the name that one would have. */
export interface PodIdentity {
  readonly name: string;
  readonly uid?: string;
}

/** Sorts a claim's owner references as Kubernetes does in `isClaimOwnerUpToDate`: by kind and name first, then by uid. */
export function ownersOf(claim: KubernetesObject, set: KubernetesObject, pod: PodIdentity): Owners {
  const references = claim.metadata.ownerReferences ?? [];
  const toSet = references.filter((reference) => names(reference, StatefulSet, set.metadata.name));
  const toPod = references.filter((reference) => names(reference, Pod, pod.name));
  const others = references.filter((reference) => !toSet.includes(reference) && !toPod.includes(reference));
  return {
    set: toSet.find(({ uid }) => uid === set.metadata.uid),
    pod: toPod.find(({ uid }) => uid === pod.uid),
    stale: toSet.find(({ uid }) => uid !== set.metadata.uid) ?? toPod.find(({ uid }) => uid !== pod.uid),
    foreignController: others.find(({ controller }) => controller),
    foreign: others.filter(({ controller }) => !controller),
  };
}

/** What the owner references of one of a set's claims say, held against the pod that exists for its ordinal. */
export function ownersIn(
  set: KubernetesObject,
  { claim, ordinal, pod }: { claim: KubernetesObject; ordinal: number; pod: KubernetesObject | undefined },
): Owners {
  return ownersOf(claim, set, { name: podName(set, ordinal), ...(pod ? { uid: pod.metadata.uid } : {}) });
}

/**
 * The reference that says the owner controls the claim. It never blocks the owner's deletion: a claim outlives its pod and
 * set by design, and a blocking one would need rights on the owner's finalizers.
 */
export function controlledBy(kind: Kind, { name, uid }: { name: string; uid: string }): OwnerReference {
  return { apiVersion: kind.apiVersion, kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: false };
}

/** Whether Holdfast wrote the reference: Kubernetes' own controller lets claims block their owner's deletion. */
export function isOurs({ kind, controller, blockOwnerDeletion }: OwnerReference): boolean {
  return (kind === "StatefulSet" || kind === "Pod") && controller === true && blockOwnerDeletion === false;
}

/**
 * Whether Kubernetes' own controller has left the reference on a claim that it does not look after any more: a set that now keeps
 * such claims gives up its references to those that have a pod, and to no others. They would still go with the set.
 */
export function isLeftBehind(
  { kind, uid, controller, blockOwnerDeletion }: OwnerReference,
  set: StatefulSetLike,
  pod: KubernetesObject | undefined,
): boolean {
  const isInTrees =
    kind === StatefulSet.kind && uid === set.metadata.uid && controller === true && blockOwnerDeletion === true;
  return isInTrees && !pod && retentionInForce(set)?.whenDeleted === "Retain";
}

/**
 * Removes owner references from the claim as it was read, and adds one. References are removed one by one, each tested, so
 * that nobody else's is touched. `also`: further operations of the same JSON Patch.
 */
export function changeOwners(
  claim: KubernetesObject,
  remove: readonly OwnerReference[],
  add?: OwnerReference,
  also: readonly object[] = [],
): Write {
  const path = "/metadata/ownerReferences";
  const present = claim.metadata.ownerReferences ?? [];
  // From the last to the first: each removal moves those behind it.
  const indices = remove.map((reference) => present.indexOf(reference)).sort((one, other) => other - one);
  return guardedPatch(PersistentVolumeClaim, claim, [
    ...indices.flatMap((index) => [
      { op: "test", path: `${path}/${index}/uid`, value: present[index]?.uid },
      { op: "remove", path: `${path}/${index}` },
    ]),
    ...(add
      ? [
          claim.metadata.ownerReferences
            ? { op: "add", path: `${path}/-`, value: add }
            : { op: "add", path, value: [add] },
        ]
      : []),
    ...also,
  ]);
}

function names(reference: OwnerReference, kind: Kind, name: string): boolean {
  return reference.apiVersion === kind.apiVersion && reference.kind === kind.kind && reference.name === name;
}
