import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/**
 * On a claim, its namespace or its StorageClass: how long the volume is kept after the claim; `none` for not at all.
 */
export const keepKey = "holdfast.dev/keep-volume-for";

/** What the narrowest of claim, namespace and class says, as it is written; `undefined`: do not keep. */
export function scopeOf(...narrowestFirst: readonly (KubernetesObject | undefined)[]): string | undefined {
  const written = narrowestFirst.map((object) => object?.metadata.annotations?.[keepKey]?.trim());
  const text = written.find((text) => text !== undefined);
  return text === "none" ? undefined : text;
}
