import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { claimsOf } from "../../shared/storage/pod-claims.ts";

/** Another object, and what it is to this one. */
export interface Related {
  readonly what: string;
  readonly to: { readonly kind: string; readonly namespace?: string; readonly name: string };
}

interface Fields extends KubernetesObject {
  readonly spec?: {
    readonly claimRef?: { readonly namespace: string; readonly name: string };
    readonly volumeName?: string;
    readonly nodeName?: string;
    readonly storageClassName?: string;
  };
}

/** The objects that an object names. */
export function relatedTo(object: KubernetesObject): readonly Related[] {
  const { kind, metadata, spec = {} } = object as Fields;
  const { claimRef, volumeName, nodeName, storageClassName } = spec;
  const { namespace = "" } = metadata;
  const own = (metadata.ownerReferences ?? []).map(({ kind, name }) => ({
    what: `Owner ${kind}`,
    to: { kind, namespace, name },
  }));
  return [
    ...own,
    ...(claimRef ? [{ what: "Claim", to: { kind: "PersistentVolumeClaim", ...claimRef } }] : []),
    ...(volumeName ? [{ what: "Volume", to: { kind: "PersistentVolume", name: volumeName } }] : []),
    ...(kind === "Volume" ? [{ what: "PersistentVolume", to: { kind: "PersistentVolume", name: metadata.name } }] : []),
    ...(nodeName ? [{ what: "Node", to: { kind: "Node", name: nodeName } }] : []),
    ...(storageClassName ? [{ what: "StorageClass", to: { kind: "StorageClass", name: storageClassName } }] : []),
    ...(kind === "Pod"
      ? claimsOf(object).map(({ claim }) => ({
          what: `Claim ${claim}`,
          to: { kind: "PersistentVolumeClaim", namespace, name: claim },
        }))
      : []),
  ];
}
