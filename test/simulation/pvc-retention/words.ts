import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

// What invariants and ends of PVC retention go by: the simulation's own words, not those of the rules that it judges.

export const policyKey = "holdfast.dev/pvc-delete-policy";
export const graceKey = "holdfast.dev/pvc-delete-after";
export const deleteAtKey = "holdfast.dev/pvc-delete-at";
export const finalizer = "holdfast.dev/pvc-retention";

/** The annotation in which a rule writes down where it stands. */
export const progressOf = (rule: string) => `holdfast.dev/pvc-retention.${rule}`;

/** A StatefulSet as far as anybody here looks at it. */
export interface SetLike extends KubernetesObject {
  spec: {
    replicas?: number;
    ordinals?: { start?: number };
    selector: { matchLabels: Record<string, string> };
    volumeClaimTemplates?: readonly { metadata: { name: string; labels?: Record<string, string> } }[];
    persistentVolumeClaimRetentionPolicy?: Fates;
  };
}

type Fate = "Retain" | "Delete";

/** What becomes of claims. */
export interface Fates {
  readonly whenDeleted?: Fate;
  readonly whenScaled?: Fate;
}

export interface Policy extends Required<Fates> {
  readonly name: string;
  /** Milliseconds. */
  readonly grace: number;
}

const table: Readonly<Record<string, Required<Fates>>> = {
  Retain: { whenDeleted: "Retain", whenScaled: "Retain" },
  DeleteOnStatefulSetDeletionOnly: { whenDeleted: "Delete", whenScaled: "Retain" },
  DeleteOnScaledownOnly: { whenDeleted: "Retain", whenScaled: "Delete" },
  DeleteOnScaledownAndStatefulSetDeletion: { whenDeleted: "Delete", whenScaled: "Delete" },
};

/** The policy that a set has by itself or by its namespace; whatever cannot be read keeps everything. */
export function policyOf(set: KubernetesObject, namespace: KubernetesObject | undefined): Policy | undefined {
  const said = (key: string) => set.metadata.annotations?.[key] ?? namespace?.metadata.annotations?.[key];
  const name = said(policyKey);
  if (name === undefined) return undefined;
  const delay = said(graceKey) ?? "0s";
  const [, count, unit] = /^(\d+)([smhd])$/.exec(delay) ?? [];
  const fates = count === undefined ? undefined : table[name];
  const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 }[unit ?? "s"] ?? 0;
  return fates
    ? { name, ...fates, grace: Number(count) * seconds * 1_000 }
    : { name: "Retain", whenDeleted: "Retain", whenScaled: "Retain", grace: 0 };
}

/** The ordinal of a claim of this set, by its name alone. */
export function ordinalOf(set: SetLike, claimName: string): number | undefined {
  for (const { metadata } of set.spec.volumeClaimTemplates ?? []) {
    const prefix = `${metadata.name}-${set.metadata.name}-`;
    const rest = claimName.startsWith(prefix) ? claimName.slice(prefix.length) : "";
    if (/^(0|[1-9]\d*)$/.test(rest)) return Number(rest);
  }
  return undefined;
}

/** Whether the claim carries what the set's own claims are known by. Kubernetes gives new claims the set's labels. */
export function hasLabels(set: SetLike, claim: KubernetesObject): boolean {
  const wanted = Object.entries(set.spec.selector.matchLabels);
  const asked = (set.spec.volumeClaimTemplates ?? []).every(({ metadata }) =>
    wanted.every(([key, value]) => metadata.labels?.[key] === value),
  );
  return !asked || wanted.every(([key, value]) => claim.metadata.labels?.[key] === value);
}

export function isWanted({ spec }: SetLike, ordinal: number): boolean {
  const start = spec.ordinals?.start ?? 0;
  return ordinal >= start && ordinal < start + (spec.replicas ?? 1);
}

/** Whether the set, or one of its pods, is meant by a reference: by kind and name, whichever incarnation. */
export function meansSetOrPod(set: string, { kind, name }: { kind: string; name: string }): boolean {
  if (kind === "StatefulSet") return name === set;
  return kind === "Pod" && name.startsWith(`${set}-`) && /^\d+$/.test(name.slice(set.length + 1));
}

/** Progress that says something about this very object. */
export function progressOn(object: KubernetesObject, rule: string): Record<string, unknown> | undefined {
  const text = object.metadata.annotations?.[progressOf(rule)];
  try {
    const said = JSON.parse(text ?? "") as Record<string, unknown>;
    return said.uid === object.metadata.uid ? said : undefined;
  } catch {
    return undefined;
  }
}
