/** The annotation by which Holdfast's users say what becomes of claims, on a set or, as its default, on a namespace. */
export const policyKey = "holdfast.dev/pvc-delete-policy";

/** What becomes of a claim on one occasion. */
export type Fate = "Retain" | "Delete";

/** `spec.persistentVolumeClaimRetentionPolicy` of a StatefulSet, whole. */
export interface Field {
  readonly whenDeleted: Fate;
  readonly whenScaled: Fate;
}

/** What a set without a policy gets from Kubernetes. */
export const keeps: Field = { whenDeleted: "Retain", whenScaled: "Retain" };

const table: Readonly<Record<string, Field>> = {
  Retain: keeps,
  DeleteOnStatefulSetDeletionOnly: { whenDeleted: "Delete", whenScaled: "Retain" },
  DeleteOnScaledownOnly: { whenDeleted: "Retain", whenScaled: "Delete" },
  DeleteOnScaledownAndStatefulSetDeletion: { whenDeleted: "Delete", whenScaled: "Delete" },
};

/** The names that the annotation knows. */
export const policies: readonly string[] = Object.keys(table);

/** What a policy of this name means. One that is unknown keeps everything. */
export const fieldOf = (policy: string): Field => table[policy] ?? keeps;

/** What users have said about one set. */
export interface Wishes {
  /** The annotation on the set. */
  readonly annotation?: string | undefined;
  /** What another manager holds in the field by server-side apply. */
  readonly explicit?: Field | undefined;
}

/**
 * The translation: what a user of plain Kubernetes would have written into the field of a set, had he wished the same.
 * The set's own annotation outranks its namespace's; of a policy and an explicit value the one that keeps wins on each
 * occasion, because who has said Retain anywhere does not expect that anything goes. README.md says why.
 */
export function translate(namespaceDefault: string | undefined, { annotation, explicit }: Wishes): Field {
  const policy = annotation ?? namespaceDefault;
  if (policy === undefined) return explicit ?? keeps;
  return explicit ? moreConservative(fieldOf(policy), explicit) : fieldOf(policy);
}

/** Whether `field` keeps claims wherever `wanted` does. */
export const keepsAsMuch = (field: Field, wanted: Field): boolean =>
  (["whenDeleted", "whenScaled"] as const).every((on) => field[on] === "Retain" || wanted[on] === "Delete");

const both = (one: Fate, other: Fate): Fate => (one === "Delete" && other === "Delete" ? "Delete" : "Retain");

const moreConservative = (one: Field, other: Field): Field => ({
  whenDeleted: both(one.whenDeleted, other.whenDeleted),
  whenScaled: both(one.whenScaled, other.whenScaled),
});
