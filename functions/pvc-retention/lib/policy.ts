import type { KubernetesObject, ObjectMeta } from "../../../shared/kubernetes/object.ts";
import type { RetentionPolicy } from "./stateful-set.ts";

/** On a StatefulSet: what becomes of its claims. On a Namespace: the default of its sets. */
export const policyKey = "holdfast.dev/pvc-delete-policy";

/** The rule that writes the policy onto the set's field: its progress is on every set with a policy, and no other. */
export const projectingRule = "pvc-retention/sync-policy";

/** The four policies of KEP-1847's first version, as Kubernetes' final one spells them. */
const policies = {
  Retain: { whenDeleted: "Retain", whenScaled: "Retain" },
  DeleteOnStatefulSetDeletionOnly: { whenDeleted: "Delete", whenScaled: "Retain" },
  DeleteOnScaledownOnly: { whenDeleted: "Retain", whenScaled: "Delete" },
  DeleteOnScaledownAndStatefulSetDeletion: { whenDeleted: "Delete", whenScaled: "Delete" },
} as const satisfies Record<string, RetentionPolicy>;

/** Characters; more than any policy has. */
const longest = 60;

/** What an admin wants to become of a set's claims. */
export interface Policy extends RetentionPolicy {
  /** Never anything unknown: what cannot be read counts as `Retain`. */
  readonly name: keyof typeof policies;
  /** What stands in the annotation, at most so much of it as anybody reads; and whose annotation it is. */
  readonly written: string;
  readonly from: "set" | "namespace";
  /** What could not be read, as a whole sentence that says what to write instead. */
  readonly fault?: string;
}

/**
 * Reads the policy of a set from its annotation, with that of its namespace as the default; `undefined` when neither
 * names one, which leaves the set alone. An unknown policy deletes nothing: `Retain`.
 */
export function readPolicy(
  set: KubernetesObject,
  namespace: { readonly metadata: Pick<ObjectMeta, "annotations"> } | undefined,
): Policy | undefined {
  const own = set.metadata.annotations?.[policyKey];
  const written = (own ?? namespace?.metadata.annotations?.[policyKey])?.slice(0, longest);
  if (written === undefined) return undefined;
  const from = own === undefined ? "namespace" : "set";
  if (isKnown(written)) return { name: written, written, from, ...policies[written] };
  const known = Object.keys(policies).join(", ");
  const fault = `The annotation ${policyKey} of the ${from} is ${JSON.stringify(written)}, which is none of ${known}.`;
  return { name: "Retain", written, from, ...policies.Retain, fault };
}

const isKnown = (text: unknown): text is keyof typeof policies =>
  typeof text === "string" && Object.hasOwn(policies, text);

/** Whether the policy that an annotation names deletes claims with their set. */
export const deletesWithSet = (written: unknown): boolean =>
  isKnown(written) && policies[written].whenDeleted === "Delete";
