import type { Resource } from "../resource.ts";

const core = (kind: string, plural: string, more: Partial<Resource> = {}): Resource => ({
  apiVersion: "v1",
  kind,
  plural,
  singular: kind.toLowerCase(),
  namespaced: true,
  ...more,
});
const grouped = (apiVersion: string, kind: string, plural: string, more: Partial<Resource> = {}): Resource => ({
  ...core(kind, plural, more),
  apiVersion,
});
const cluster = { namespaced: false } as const;
const status = ["status"];

/** The resources that are served without a CustomResourceDefinition. */
export const builtin: readonly Resource[] = [
  core("ConfigMap", "configmaps", { shortNames: ["cm"] }),
  core("Event", "events", { shortNames: ["ev"] }),
  core("Namespace", "namespaces", { ...cluster, shortNames: ["ns"], subresources: ["finalize", "status"] }),
  core("Node", "nodes", { ...cluster, shortNames: ["no"], subresources: status }),
  core("PersistentVolume", "persistentvolumes", { ...cluster, shortNames: ["pv"], subresources: status }),
  core("PersistentVolumeClaim", "persistentvolumeclaims", { shortNames: ["pvc"], subresources: status }),
  core("Pod", "pods", {
    shortNames: ["po"],
    categories: ["all"],
    subresources: ["binding", "eviction", "status"],
  }),
  core("Secret", "secrets"),
  core("Service", "services", { shortNames: ["svc"], categories: ["all"], subresources: status }),
  core("ServiceAccount", "serviceaccounts", { shortNames: ["sa"], subresources: ["token"] }),
  grouped("apps/v1", "ControllerRevision", "controllerrevisions"),
  grouped("apps/v1", "DaemonSet", "daemonsets", { shortNames: ["ds"], categories: ["all"], subresources: status }),
  grouped("apps/v1", "Deployment", "deployments", {
    shortNames: ["deploy"],
    categories: ["all"],
    subresources: ["scale", "status"],
  }),
  grouped("apps/v1", "ReplicaSet", "replicasets", {
    shortNames: ["rs"],
    categories: ["all"],
    subresources: ["scale", "status"],
  }),
  grouped("apps/v1", "StatefulSet", "statefulsets", {
    shortNames: ["sts"],
    categories: ["all"],
    subresources: ["scale", "status"],
  }),
  grouped("coordination.k8s.io/v1", "Lease", "leases"),
  grouped("storage.k8s.io/v1", "StorageClass", "storageclasses", { ...cluster, shortNames: ["sc"] }),
  grouped("storage.k8s.io/v1", "VolumeAttachment", "volumeattachments", { ...cluster, subresources: status }),
];
