import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Claim } from "../../../shared/storage/volume.ts";

/**
 * On a claim, its namespace or its StorageClass: how long the volume is kept after the claim; `none` for not at all.
 */
export const keepKey = "holdfast.dev/keep-volume-for";

/** The narrowest that says how long the volume is kept, and what it says, as it is written; no text: do not keep. */
export function scopeOf(
  claim: Claim,
  namespace?: KubernetesObject,
  storageClass?: KubernetesObject,
  claimAnnotation: "heeded" | "ignored" = "heeded",
): { readonly by?: "claim" | "namespace" | "class"; readonly text?: string } {
  const own = claimAnnotation === "heeded" ? claim : undefined;
  const heeded = { claim: own, ...(isEphemeral(claim) ? {} : { namespace, class: storageClass }) };
  for (const by of ["claim", "namespace", "class"] as const) {
    const text = (heeded as Partial<Record<typeof by, KubernetesObject | undefined>>)[by]?.metadata.annotations?.[
      keepKey
    ]?.trim();
    if (text !== undefined) return text === "none" ? { by } : { by, text };
  }
  return {};
}

/**
 * Whether the claim is of a generic ephemeral volume, which is made for one pod and to be gone with it: offered to the
 * claim of its name, it would give the next pod of a StatefulSet what the former left behind. Kubernetes calls it
 * <pod>-<volume>; a claim <template>-<pod> is of a StatefulSet that scales down, which hands it to its pod as well.
 */
export const isEphemeral = ({ metadata }: Claim): boolean =>
  metadata.ownerReferences?.some(
    ({ kind, name, controller }) =>
      kind === "Pod" && controller && metadata.name.startsWith(`${name}-`) && !metadata.name.endsWith(`-${name}`),
  ) ?? false;
