import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Truth } from "../invariants/invariant.ts";

export const keepKey = "holdfast.dev/keep-volume-for";
export const reclaimAtKey = "holdfast.dev/reclaim-at";
export const offerKey = "holdfast.dev/offer";
export const successorKey = "holdfast.dev/successor-of";
export const noteKey = "holdfast.dev/undelete.note";
export const guard = "holdfast.dev/undelete";

/** A volume as the simulation looks at it. */
export interface VolumeLike extends KubernetesObject {
  spec: {
    claimRef?: { namespace: string; name: string; uid?: string };
    persistentVolumeReclaimPolicy: string;
    [field: string]: unknown;
  };
  status?: { phase?: string };
}

export const volumesOf = ({ history }: Truth) => history.live("PersistentVolume") as VolumeLike[];

export const namespaceOf = ({ history }: Truth, name: string) =>
  history.live("Namespace").find(({ metadata }) => metadata.name === name);

/** The live claim of the name that a volume names. */
export function claimOf({ history }: Truth, { spec: { claimRef } }: VolumeLike) {
  return history
    .live("PersistentVolumeClaim")
    .find(({ metadata }) => metadata.namespace === claimRef?.namespace && metadata.name === claimRef?.name);
}

/** The live claim that a volume and Kubernetes agree to be its own. */
export function ownerOf(truth: Truth, volume: VolumeLike): KubernetesObject | undefined {
  const claim = claimOf(truth, volume);
  const isOwn =
    claim?.metadata.uid === volume.spec.claimRef?.uid &&
    (claim?.spec as { volumeName?: string } | undefined)?.volumeName === volume.metadata.name;
  return isOwn ? claim : undefined;
}

/** How long claim or namespace say that the volume is kept. */
export function scopeOf(truth: Truth, claim: KubernetesObject): string | undefined {
  const home = namespaceOf(truth, claim.metadata.namespace ?? "");
  const text = claim.metadata.annotations?.[keepKey] ?? home?.metadata.annotations?.[keepKey];
  return text === "none" ? undefined : text;
}

/** What is noted on a volume, if it is this one's. */
export function noteOf({ metadata }: KubernetesObject): { step?: string; policy?: string; next?: string } | undefined {
  try {
    const note = JSON.parse(metadata.annotations?.[noteKey] ?? "null");
    return note?.uid === metadata.uid ? note : undefined;
  } catch {
    return undefined;
  }
}
