import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import type { Truth } from "../invariants/invariant.ts";

// What checkers of PVC retention go by: what users and Kubernetes have done, and what the field said. None of it is
// taken from the rules.

export const policyKey = "holdfast.dev/pvc-delete-policy";

/** The annotation in which a rule writes down where it stands. */
export const progressOf = (rule: string) => `holdfast.dev/pvc-retention.${rule}`;

/**
 * Milliseconds between what a function reads last and the write that rests on it, at most: two ways over a slow
 * network. What changes within them no function can have seen.
 */
export const unseen = 8_000;

export type Fate = "Retain" | "Delete";
export type Occasion = "whenDeleted" | "whenScaled";

/** A StatefulSet as far as anybody here looks at it. */
export interface SetLike extends KubernetesObject {
  spec: {
    replicas?: number;
    selector: { matchLabels: Record<string, string> };
    volumeClaimTemplates?: readonly { metadata: { name: string } }[];
    persistentVolumeClaimRetentionPolicy?: Partial<Record<Occasion, Fate>>;
  };
}

interface PodLike extends KubernetesObject {
  spec: { volumes?: readonly { persistentVolumeClaim?: { claimName: string } }[] };
}

/** What the field of a set says on an occasion. */
export const fieldOf = (set: SetLike, occasion: Occasion): Fate =>
  set.spec.persistentVolumeClaimRetentionPolicy?.[occasion] ?? "Retain";

/** Whether a claim has the name of one of the set's. It proves nothing. */
export function isNamedAfter({ metadata, spec }: SetLike, claim: KubernetesObject): boolean {
  return (spec.volumeClaimTemplates ?? []).some((template) => {
    const prefix = `${template.metadata.name}-${metadata.name}-`;
    return claim.metadata.name.startsWith(prefix) && /^(0|[1-9]\d*)$/.test(claim.metadata.name.slice(prefix.length));
  });
}

/** Every set that ever was, as it was last. */
export function setsEver({ changes }: Truth): readonly SetLike[] {
  const last = new Map<string, SetLike>();
  for (const { object } of changes) if (object.kind === "StatefulSet") last.set(object.metadata.uid, object as SetLike);
  return [...last.values()];
}

/**
 * How a set stood in the last `ms` milliseconds: as it is now, and as it was before each change; nothing while it was
 * not there.
 */
export function statesOf({ changes }: Truth, uid: string, ms: number = unseen): readonly SetLike[] {
  const now = changes.at(-1)?.at ?? 0;
  const mine = changes.filter(({ object }) => object.metadata.uid === uid);
  const states = mine.flatMap(({ at, before, after }, index) => {
    const until = mine[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    return [...(at >= now - ms ? [before] : []), ...(until >= now - ms ? [after] : [])];
  });
  return states.filter((state) => state !== undefined) as SetLike[];
}

/** Whether an object is controlled by this very one. */
export const isControlledBy = ({ metadata }: KubernetesObject, uid: string): boolean =>
  (metadata.ownerReferences ?? []).some((reference) => reference.controller && reference.uid === uid);

const claimsOf = (pod: KubernetesObject) =>
  ((pod as PodLike).spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);

/**
 * Whether a pod of this very set ever named this very claim while it was there: the only proof of use that there is.
 */
export function wasUsedBy({ changes }: Truth, claim: KubernetesObject, set: string): boolean {
  const { name, uid } = claim.metadata;
  const born = changes.findIndex(({ object }) => object.metadata.uid === uid);
  const pods = new Map<string, boolean>();
  for (const [index, { object, after }] of changes.entries()) {
    if (object.kind !== "Pod" || !isControlledBy(object, set) || !claimsOf(object).includes(name)) continue;
    if (index > born && after) return true;
    pods.set(object.metadata.uid, after !== undefined);
  }
  return [...pods.values()].includes(true);
}

/** Milliseconds within which own has looked where no fault strikes, with a cold start and a slow request in them. */
const looked = 4_000;

/**
 * Whether a pod of this very set named this very claim for longer than own takes where no fault strikes, after a policy
 * had first been asked for: before that no check looks.
 */
export function wasSeenUsedBy({ changes }: Truth, claim: KubernetesObject, set: string): boolean {
  const policy = changes.find(({ after }) => after?.metadata.annotations?.[policyKey] !== undefined);
  const born = changes.find(({ object }) => object.metadata.uid === claim.metadata.uid);
  if (!policy || !born) return false;
  const pods = new Map<string, { from: number; to: number }>();
  for (const { object, at, after } of changes) {
    if (object.kind !== "Pod" || !isControlledBy(object, set) || !claimsOf(object).includes(claim.metadata.name))
      continue;
    const { from } = pods.get(object.metadata.uid) ?? { from: Math.max(at, policy.at, born.at) };
    pods.set(object.metadata.uid, { from, to: after ? (changes.at(-1)?.at ?? at) : at });
  }
  return [...pods.values()].some(({ from, to }) => to - from > looked);
}

/** The pods that name a claim and have been there for longer than anybody can overlook. */
export function usersOf(truth: Truth, claim: KubernetesObject): readonly KubernetesObject[] {
  const now = truth.changes.at(-1)?.at ?? 0;
  return truth.history.live("Pod").filter((pod) => {
    const first = truth.changes.find(({ object }) => object.metadata.uid === pod.metadata.uid);
    return claimsOf(pod).includes(claim.metadata.name) && (first?.at ?? 0) < now - unseen;
  });
}

const referencesOf = (object: KubernetesObject | undefined) => object?.metadata.ownerReferences ?? [];
const key = (reference: OwnerReference) => JSON.stringify(reference);

/** The references that the one has and the other has not. */
export const missing = (from: KubernetesObject | undefined, to: KubernetesObject | undefined) =>
  referencesOf(from).filter((one) => !referencesOf(to).some((other) => key(one) === key(other)));

const table: Readonly<Record<string, Readonly<Record<Occasion, Fate>>>> = {
  DeleteOnStatefulSetDeletionOnly: { whenDeleted: "Delete", whenScaled: "Retain" },
  DeleteOnScaledownOnly: { whenDeleted: "Retain", whenScaled: "Delete" },
  DeleteOnScaledownAndStatefulSetDeletion: { whenDeleted: "Delete", whenScaled: "Delete" },
};

/** What users have asked for, by the words of the README; `undefined` where they have said nothing. */
export function askedFor(
  set: KubernetesObject,
  home: KubernetesObject | undefined,
): Record<Occasion, Fate> | undefined {
  const written = set.metadata.annotations?.[policyKey] ?? home?.metadata.annotations?.[policyKey];
  return written === undefined ? undefined : (table[written] ?? { whenDeleted: "Retain", whenScaled: "Retain" });
}

interface ManagedFields {
  manager: string;
  operation: string;
  fieldsV1?: { "f:spec"?: { "f:persistentVolumeClaimRetentionPolicy"?: Record<string, unknown> } };
}

/** Who holds the field on an occasion, ours left out. */
export function holdersOf({ metadata }: KubernetesObject, occasion: Occasion): readonly ManagedFields[] {
  return ((metadata.managedFields ?? []) as ManagedFields[]).filter(
    ({ manager, fieldsV1 }) =>
      manager !== "holdfast-pvc-retention" &&
      fieldsV1?.["f:spec"]?.["f:persistentVolumeClaimRetentionPolicy"]?.[`f:${occasion}`] !== undefined,
  );
}
