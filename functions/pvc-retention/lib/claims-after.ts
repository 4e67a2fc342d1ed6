import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { retentionOf, type StatefulSet } from "./stateful-set.ts";
import { ordinalOf } from "./template-claims.ts";

/** What becomes of a claim, and why, in a whole sentence. */
export interface ClaimFate {
  readonly claim: KubernetesObject;
  readonly goes: boolean;
  readonly message: string;
}

/** A set with its pods and all claims of its namespace. The set says what will be in force. */
interface SetSeen {
  readonly set: StatefulSet;
  readonly pods: readonly KubernetesObject[];
  readonly claims: readonly KubernetesObject[];
}

const ownersOf = ({ metadata }: KubernetesObject): readonly OwnerReference[] => metadata.ownerReferences ?? [];

/** The claims that have the name of one of the set's. */
const ofSet = ({ set, claims }: SetSeen): readonly KubernetesObject[] =>
  claims.filter(({ metadata }) => ordinalOf(set, metadata.name) !== undefined);

const podOf = ({ set, pods }: SetSeen, claim: KubernetesObject): KubernetesObject | undefined => {
  const name = `${set.metadata.name}-${ordinalOf(set, claim.metadata.name)}`;
  return pods.find((pod) => pod.metadata.name === name && ownersOf(pod).some(({ uid }) => uid === set.metadata.uid));
};

/** A foreign owner keeps a claim when the set, or its pod, goes. */
const othersOf = ({ set, pods }: SetSeen, claim: KubernetesObject): readonly OwnerReference[] => {
  const own = new Set([set.metadata.uid, ...pods.map(({ metadata }) => metadata.uid)]);
  return ownersOf(claim).filter(({ uid }) => !own.has(uid));
};

const fate = (claim: KubernetesObject, goes: boolean, message: string): ClaimFate => ({ claim, goes, message });

/**
 * What becomes of a set's claims when it is scaled. Kubernetes' own controller ties the claims of pods that are to go
 * to these pods, where `whenScaled` is Delete; claims without a pod it leaves alone.
 */
export function claimsAfterScaling(seen: SetSeen, replicas: number): readonly ClaimFate[] {
  const { set } = seen;
  const { start = 0 } = (set.spec.ordinals ?? {}) as { start?: number };
  const { whenScaled } = retentionOf(set);
  return ofSet(seen).map((claim) => {
    const ordinal = ordinalOf(set, claim.metadata.name) as number;
    if (ordinal >= start && ordinal < start + replicas) return fate(claim, false, "Its pod stays, or comes.");
    if (!podOf(seen, claim)) return fate(claim, false, "It has no pod that the scale-down could take along.");
    if (whenScaled === "Retain") return fate(claim, false, "The set's whenScaled is Retain.");
    const [other] = othersOf(seen, claim);
    if (other) return fate(claim, false, `${other.kind} ${other.name} owns it, too.`);
    return fate(claim, true, "The set's whenScaled is Delete: it goes with its pod.");
  });
}

/** What becomes of a set's claims when it is deleted with its pods. Claims have the references that they will have. */
export function claimsAfterDeletion(seen: SetSeen): readonly ClaimFate[] {
  const { set, pods } = seen;
  const { whenDeleted } = retentionOf(set);
  const own = new Set([set.metadata.uid, ...pods.map(({ metadata }) => metadata.uid)]);
  return ofSet(seen).map((claim) => {
    const ties = ownersOf(claim).filter(({ uid }) => own.has(uid));
    // Kubernetes takes the set's reference off claims that have a pod. The others keep one of an earlier policy.
    const isFreed = podOf(seen, claim) !== undefined && ties.every(({ uid }) => uid === set.metadata.uid);
    if (whenDeleted === "Retain" && (ties.length === 0 || isFreed))
      return fate(claim, false, "The set's whenDeleted is Retain.");
    const [other] = othersOf(seen, claim);
    if (other) return fate(claim, false, `${other.kind} ${other.name} owns it, too.`);
    if (ties.length === 0 && !podOf(seen, claim))
      return fate(claim, false, "It has no pod and is not tied to the set.");
    const message =
      whenDeleted === "Delete"
        ? "The set's whenDeleted is Delete: it goes with the set."
        : "It still has an owner reference of an earlier policy: it goes with its owner.";
    return fate(claim, true, message);
  });
}
