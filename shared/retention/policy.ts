import type { KubernetesObject } from "../kubernetes/object.ts";
import type { RetentionPolicy } from "./stateful-set.ts";

/** On a StatefulSet: what becomes of its claims. On a Namespace: the default of its sets. */
export const policyKey = "holdfast.dev/pvc-delete-policy";

/** On a StatefulSet, or on its Namespace: how long a claim that would be deleted is kept first. */
export const graceKey = "holdfast.dev/pvc-delete-after";

/** The four policies of KEP-1847's first version, as Kubernetes' final one spells them. */
const policies = {
  Retain: { whenDeleted: "Retain", whenScaled: "Retain" },
  DeleteOnStatefulSetDeletionOnly: { whenDeleted: "Delete", whenScaled: "Retain" },
  DeleteOnScaledownOnly: { whenDeleted: "Retain", whenScaled: "Delete" },
  DeleteOnScaledownAndStatefulSetDeletion: { whenDeleted: "Delete", whenScaled: "Delete" },
} as const satisfies Record<string, RetentionPolicy>;

/** What an admin wants to become of a set's claims. */
export interface Policy extends RetentionPolicy {
  /** Never anything unknown: what cannot be read counts as `Retain`. */
  readonly name: keyof typeof policies;
  /** Milliseconds that a claim is kept after it would have been deleted; 0: none. */
  readonly grace: number;
  /** What could not be read, as whole sentences that say what to write instead. */
  readonly faults: readonly string[];
}

/**
 * Reads the policy of a set from its annotations, each with that of its namespace as the default; `undefined` when neither
 * names one, which leaves the set alone. An unknown policy, or a time that cannot be read, deletes nothing: `Retain`.
 */
export function readPolicy(set: KubernetesObject, namespace: KubernetesObject | undefined): Policy | undefined {
  const written = annotationOf(policyKey, set, namespace);
  if (written === undefined) return undefined;
  const faults: string[] = [];
  const known = isKnown(written) ? written : undefined;
  if (!known) faults.push(`${policyKey} is ${quote(written)}, which is none of ${Object.keys(policies).join(", ")}.`);
  const delay = annotationOf(graceKey, set, namespace);
  const grace = delay === undefined ? 0 : readDuration(delay);
  if (grace === undefined)
    faults.push(`${graceKey} is ${quote(delay ?? "")}, which is no time such as 10s, 30m, 24h or 7d.`);
  const name = known && grace !== undefined ? known : "Retain";
  return { name, ...policies[name], grace: grace ?? 0, faults };
}

/** What Kubernetes' own controller is to do: nothing by itself where claims are to be kept for a while. */
export function nativePolicy({ whenDeleted, whenScaled, grace }: Policy): RetentionPolicy {
  return grace > 0 ? policies.Retain : { whenDeleted, whenScaled };
}

function annotationOf(key: string, set: KubernetesObject, namespace: KubernetesObject | undefined): string | undefined {
  return set.metadata.annotations?.[key] ?? namespace?.metadata.annotations?.[key];
}

function isKnown(text: string): text is keyof typeof policies {
  return Object.hasOwn(policies, text);
}

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Longer than any grace that is meant. It keeps the due time a date that can be written. */
const longest = 100 * 365 * units.d;

/** Milliseconds; one number and one unit. `undefined` when it cannot be read. */
function readDuration(text: string): number | undefined {
  const [, digits, unit] = /^([0-9]{1,9})([smhd])$/.exec(text.trim()) ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  const duration = Number(digits) * units[unit as keyof typeof units];
  return duration <= longest ? duration : undefined;
}

/** A duration in milliseconds as people write it, in the largest unit that divides it: `90s`, `24h` as `1d`. */
export function writeDuration(duration: number): string {
  const [unit, size] = Object.entries(units).findLast(([, size]) => duration % size === 0) ?? ["ms", 1];
  return `${duration / size}${unit}`;
}

const quote = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
