import type { KubernetesObject } from "../kubernetes/object.ts";

/** What becomes of claims, in the words of `spec.persistentVolumeClaimRetentionPolicy`. */
export type Fate = "Retain" | "Delete";

/** Kubernetes' own retention policy; GA since 1.32. */
export interface RetentionPolicy {
  readonly whenDeleted: Fate;
  readonly whenScaled: Fate;
}

/** The fields of a StatefulSet that decide what becomes of its claims. */
export interface StatefulSet extends KubernetesObject {
  spec: {
    replicas?: number;
    ordinals?: { start?: number };
    selector?: { matchLabels?: Record<string, string>; matchExpressions?: readonly unknown[] };
    volumeClaimTemplates?: readonly { metadata: { name: string; labels?: Record<string, string> } }[];
    persistentVolumeClaimRetentionPolicy?: Partial<RetentionPolicy>;
    [field: string]: unknown;
  };
}

/**
 * Whether the set wants a pod of this ordinal: `spec.ordinals.start` (0 by default) and as many as `spec.replicas` (1 by
 * default) from there. Pods outside are condemned.
 */
export function isInRange({ spec }: StatefulSet, ordinal: number): boolean {
  const start = spec.ordinals?.start ?? 0;
  return ordinal >= start && ordinal < start + (spec.replicas ?? 1);
}

/** The name of the pod of an ordinal. */
export function podName({ metadata }: KubernetesObject, ordinal: number): string {
  return `${metadata.name}-${ordinal}`;
}

/**
 * The retention policy that Kubernetes' own controller obeys, `undefined` on servers without the field: newer ones fill it
 * in on every set (`Retain` for both).
 */
export function retentionInForce({ spec }: StatefulSet): RetentionPolicy | undefined {
  const policy = spec.persistentVolumeClaimRetentionPolicy;
  return policy && { whenDeleted: policy.whenDeleted ?? "Retain", whenScaled: policy.whenScaled ?? "Retain" };
}
