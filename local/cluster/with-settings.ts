import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

/** The ConfigMap of a system with other values; another object as it is. */
export function withSettings(
  object: KubernetesObject,
  system: string,
  values: Readonly<Record<string, string>>,
): KubernetesObject {
  if (object.kind !== "ConfigMap" || object.metadata.name !== `holdfast-${system}`) return object;
  return { ...object, data: { ...(object.data as object), ...values } } as KubernetesObject;
}
