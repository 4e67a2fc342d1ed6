import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { SetObject } from "./set.ts";

/** The label that names a set's pod. */
export const podNameLabel = "statefulset.kubernetes.io/pod-name";
/** The label that holds a pod's ordinal. */
export const podIndexLabel = "apps.kubernetes.io/pod-index";

/** The lowest ordinal a set wants. */
export function firstOrdinal({ spec }: SetObject): number {
  return spec.ordinals?.start ?? 0;
}

/** Whether the set wants a pod of this ordinal; one that has an ordinal outside the range is condemned. */
export function isInRange(set: SetObject, ordinal: number): boolean {
  const first = firstOrdinal(set);
  return ordinal >= first && ordinal < first + set.spec.replicas;
}

export function podNameOf({ metadata }: SetObject, ordinal: number): string {
  return `${metadata.name}-${ordinal}`;
}

/**
 * The name may be that of another set's claim, too: template `a-b` of set `c` and template `a` of set `b-c` yield the
 * same.
 */
export function claimNameOf({ metadata }: SetObject, template: string, ordinal: number): string {
  return `${template}-${metadata.name}-${ordinal}`;
}

/** The ordinal that the name of a pod gives it in a set; `undefined` when it is the name of none of the set's pods. */
export function ordinalOf(set: SetObject, { metadata }: KubernetesObject): number | undefined {
  const prefix = `${set.metadata.name}-`;
  if (!metadata.name.startsWith(prefix)) return undefined;
  const digits = metadata.name.slice(prefix.length);
  const ordinal = Number(digits);
  return /^(0|[1-9]\d*)$/.test(digits) && ordinal < 2 ** 31 ? ordinal : undefined;
}
