import type { Kind } from "../../shared/kubernetes/kind.ts";

// Kinds that scenarios write and no rule of ours touches.

const kind = (apiVersion: string, name: string, plural: string, namespaced = true): Kind => ({
  apiVersion,
  kind: name,
  plural,
  namespaced,
});

export const ConfigMap = kind("v1", "ConfigMap", "configmaps");
export const Namespace = kind("v1", "Namespace", "namespaces", false);
export const Node = kind("v1", "Node", "nodes", false);
export const PersistentVolume = kind("v1", "PersistentVolume", "persistentvolumes", false);
export const ServiceAccount = kind("v1", "ServiceAccount", "serviceaccounts");
export const StorageClass = kind("storage.k8s.io/v1", "StorageClass", "storageclasses", false);
export const StatefulSet = kind("apps/v1", "StatefulSet", "statefulsets");

const rbac = "rbac.authorization.k8s.io/v1";
export const ClusterRole = kind(rbac, "ClusterRole", "clusterroles", false);
export const ClusterRoleBinding = kind(rbac, "ClusterRoleBinding", "clusterrolebindings", false);
export const Role = kind(rbac, "Role", "roles");
export const RoleBinding = kind(rbac, "RoleBinding", "rolebindings");
