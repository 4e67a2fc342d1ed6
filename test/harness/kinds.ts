import { CustomResourceDefinition } from "../../local/controllers/objects/kinds.ts";
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

const admission = (name: string, plural: string) => kind("admissionregistration.k8s.io/v1", name, plural, false);
export const MutatingAdmissionPolicy = admission("MutatingAdmissionPolicy", "mutatingadmissionpolicies");
export const ValidatingAdmissionPolicy = admission("ValidatingAdmissionPolicy", "validatingadmissionpolicies");
export const ValidatingAdmissionPolicyBinding = admission(
  "ValidatingAdmissionPolicyBinding",
  "validatingadmissionpolicybindings",
);

/** What an installation of Holdfast consists of: to install it, no server has to be asked what it serves. */
export const installedKinds: readonly Kind[] = [
  MutatingAdmissionPolicy,
  admission("MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings"),
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  CustomResourceDefinition,
  Namespace,
  ServiceAccount,
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  ConfigMap,
];
