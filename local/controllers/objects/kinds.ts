import type { Kind } from "../../../shared/kubernetes/kind.ts";

export const Namespace = { apiVersion: "v1", kind: "Namespace", plural: "namespaces", namespaced: false } as const;
export const Node = { apiVersion: "v1", kind: "Node", plural: "nodes", namespaced: false } as const;
export const ServiceAccount = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  namespaced: true,
} as const;
export const PersistentVolume = {
  apiVersion: "v1",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  namespaced: false,
} as const;
export const StorageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  plural: "storageclasses",
  namespaced: false,
} as const;
export const Lease = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
} as const;
export const CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
} as const;

/** A kind by what identifies it: `v1 Pod`, `apps/v1 StatefulSet`. */
export function kindKey({ apiVersion, kind }: Pick<Kind, "apiVersion" | "kind">): string {
  return `${apiVersion} ${kind}`;
}
