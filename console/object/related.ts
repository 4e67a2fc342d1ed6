import type { Named } from "../../functions/platform/lib/console/object-page.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { claimsOf } from "../../shared/storage/pod-claims.ts";

/** Another object, and what it is to this one. */
export interface Related {
  readonly what: string;
  readonly to: Named;
}

interface Fields extends KubernetesObject {
  readonly spec?: {
    readonly claimRef?: { readonly namespace: string; readonly name: string };
    readonly volumeName?: string;
    readonly nodeName?: string;
    readonly storageClassName?: string;
  };
}

type Row = readonly [what: string, kind: string, name: string | undefined, namespace?: string | undefined];

/** The objects that an object names. */
export function relatedTo(object: KubernetesObject): readonly Related[] {
  const { kind, metadata, spec = {} } = object as Fields;
  const { claimRef, volumeName, nodeName, storageClassName } = spec;
  const { name, namespace, ownerReferences = [] } = metadata;
  const claims = kind === "Pod" ? claimsOf(object) : [];
  const all: readonly Row[] = [
    ...ownerReferences.map(({ kind, name }) => [`Owner ${kind}`, kind, name, namespace] as const),
    ["Claim", "PersistentVolumeClaim", claimRef?.name, claimRef?.namespace],
    ["Volume", "PersistentVolume", volumeName],
    ["PersistentVolume", "PersistentVolume", kind === "Volume" ? name : undefined],
    ["Node", "Node", nodeName],
    ["StorageClass", "StorageClass", storageClassName],
    ...claims.map(({ claim }) => [`Claim ${claim}`, "PersistentVolumeClaim", claim, namespace] as const),
  ];
  return all.flatMap(([what, kind, name, namespace]) => (name ? [{ what, to: { kind, namespace, name } }] : []));
}
