import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/** What becomes of claims, in the words of `spec.persistentVolumeClaimRetentionPolicy`. */
export type Fate = "Retain" | "Delete";

/** Kubernetes' own retention policy; GA since 1.32. */
export interface RetentionPolicy {
  readonly whenDeleted: Fate;
  readonly whenScaled: Fate;
}

/** The two occasions on which claims may go, by the names of their fields. */
export const occasions = ["whenDeleted", "whenScaled"] as const satisfies readonly (keyof RetentionPolicy)[];

/** The fields of a StatefulSet that decide what becomes of its claims. */
export interface StatefulSet extends KubernetesObject {
  spec: {
    selector?: { matchLabels?: Record<string, string> };
    volumeClaimTemplates?: readonly { metadata: { name: string; labels?: Record<string, string> } }[];
    persistentVolumeClaimRetentionPolicy?: Partial<RetentionPolicy>;
    [field: string]: unknown;
  };
}

/** The retention policy that Kubernetes' own controller obeys; the server fills `Retain` in where nothing is said. */
export function retentionOf({ spec }: Partial<Pick<StatefulSet, "spec">>): RetentionPolicy {
  // An event may have any shape.
  const { whenDeleted = "Retain", whenScaled = "Retain" } = spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return { whenDeleted, whenScaled };
}
