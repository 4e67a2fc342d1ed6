import type { Kind } from "../../../shared/kubernetes/kind.ts";

/** MetalK8s' Volume: storage on one node that becomes a PersistentVolume. */
export const Volume = {
  apiVersion: "storage.metalk8s.scality.com/v1alpha1",
  kind: "Volume",
  plural: "volumes",
  namespaced: false,
  family: "storage",
} as const satisfies Kind;
