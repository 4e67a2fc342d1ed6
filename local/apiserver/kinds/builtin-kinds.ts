import { type Resource, resource } from "../resource.ts";

const cluster = { namespaced: false } as const;
const status = { subresources: ["status"] } as const;
const all = { categories: ["all"] } as const;
const scalable = { ...all, subresources: ["scale", "status"] } as const;

const admission = "admissionregistration.k8s.io/v1";
const authentication = "authentication.k8s.io/v1";
const authorization = "authorization.k8s.io/v1";
const rbac = "rbac.authorization.k8s.io/v1";
const storage = "storage.k8s.io/v1";

/**
 * The resources that are served without a CustomResourceDefinition: what rules, controllers and a tour with kubectl
 * touch.
 */
export const builtin: readonly Resource[] = [
  resource("v1", "ConfigMap", "configmaps", { shortNames: ["cm"] }),
  resource("v1", "Event", "events", { shortNames: ["ev"] }),
  resource("v1", "Namespace", "namespaces", { ...cluster, shortNames: ["ns"], subresources: ["finalize", "status"] }),
  resource("v1", "Node", "nodes", { ...cluster, ...status, shortNames: ["no"] }),
  resource("v1", "PersistentVolume", "persistentvolumes", { ...cluster, ...status, shortNames: ["pv"] }),
  resource("v1", "PersistentVolumeClaim", "persistentvolumeclaims", { ...status, shortNames: ["pvc"] }),
  resource("v1", "Pod", "pods", { ...all, shortNames: ["po"], subresources: ["binding", "eviction", "status"] }),
  resource("v1", "ResourceQuota", "resourcequotas", { shortNames: ["quota"] }),
  resource("v1", "Secret", "secrets"),
  resource("v1", "Service", "services", { ...all, ...status, shortNames: ["svc"] }),
  resource("v1", "ServiceAccount", "serviceaccounts", { shortNames: ["sa"], subresources: ["token"] }),

  resource("apps/v1", "ControllerRevision", "controllerrevisions"),
  resource("apps/v1", "DaemonSet", "daemonsets", { ...all, ...status, shortNames: ["ds"] }),
  resource("apps/v1", "Deployment", "deployments", { ...scalable, shortNames: ["deploy"] }),
  resource("apps/v1", "ReplicaSet", "replicasets", { ...scalable, shortNames: ["rs"] }),
  resource("apps/v1", "StatefulSet", "statefulsets", { ...scalable, shortNames: ["sts"] }),

  resource("coordination.k8s.io/v1", "Lease", "leases"),
  resource("events.k8s.io/v1", "Event", "events", { shortNames: ["ev"] }),
  resource("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", { shortNames: ["netpol"] }),
  resource(storage, "StorageClass", "storageclasses", { ...cluster, shortNames: ["sc"] }),
  resource(storage, "VolumeAttachment", "volumeattachments", { ...cluster, ...status }),

  resource(rbac, "ClusterRole", "clusterroles", cluster),
  resource(rbac, "ClusterRoleBinding", "clusterrolebindings", cluster),
  resource(rbac, "Role", "roles"),
  resource(rbac, "RoleBinding", "rolebindings"),
  resource(authentication, "SelfSubjectReview", "selfsubjectreviews", cluster),
  resource(authorization, "SelfSubjectAccessReview", "selfsubjectaccessreviews", cluster),
  resource(authorization, "SubjectAccessReview", "subjectaccessreviews", cluster),

  resource(admission, "MutatingAdmissionPolicy", "mutatingadmissionpolicies", cluster),
  resource(admission, "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", cluster),
  resource(admission, "ValidatingAdmissionPolicy", "validatingadmissionpolicies", { ...cluster, ...status }),
  resource(admission, "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", cluster),
  resource("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", {
    ...cluster,
    ...status,
    categories: ["api-extensions"],
    shortNames: ["crd", "crds"],
  }),
];
