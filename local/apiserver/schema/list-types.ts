import type { Schema } from "./schema.ts";

/** What the generated models do not say: how lists and maps of a type merge, in a patch and in server-side apply. */
export type MergeRule = Pick<
  Schema,
  | "x-kubernetes-list-type"
  | "x-kubernetes-list-map-keys"
  | "x-kubernetes-map-type"
  | "x-kubernetes-patch-strategy"
  | "x-kubernetes-patch-merge-key"
>;

const map = (...keys: string[]): MergeRule => ({
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
});

const merged = (key: string, strategy = "merge"): MergeRule => ({
  "x-kubernetes-patch-merge-key": key,
  "x-kubernetes-patch-strategy": strategy,
});

/** A list map whose first key is also the merge key of strategic patches. */
const by = (...keys: [string, ...string[]]): MergeRule => ({ ...map(...keys), ...merged(keys[0]) });

const set: MergeRule = { "x-kubernetes-list-type": "set" };
const mergedSet: MergeRule = { ...set, "x-kubernetes-patch-strategy": "merge" };
const atomicMap: MergeRule = { "x-kubernetes-map-type": "atomic" };
const granularMap: MergeRule = { "x-kubernetes-map-type": "granular" };
const strategy = (name: string): MergeRule => ({ "x-kubernetes-patch-strategy": name });

const container = {
  env: by("name"),
  ports: by("containerPort", "protocol"),
  volumeDevices: by("devicePath"),
  volumeMounts: by("mountPath"),
};
const conditions = { conditions: by("type") };

/**
 * By model (without its version) and field. A list that is not here is atomic: owned and replaced whole. The sources
 * are the documents that kube-apiserver 1.36.3 publishes under `/openapi/v3`.
 */
export const mergeRules: Readonly<Record<string, Readonly<Record<string, MergeRule>>>> = {
  ObjectMeta: { finalizers: mergedSet, ownerReferences: by("uid") },
  PodSpec: {
    containers: by("name"),
    ephemeralContainers: by("name"),
    hostAliases: by("ip"),
    imagePullSecrets: by("name"),
    initContainers: by("name"),
    nodeSelector: atomicMap,
    resourceClaims: { ...map("name"), ...merged("name", "merge,retainKeys") },
    schedulingGates: by("name"),
    topologySpreadConstraints: by("topologyKey", "whenUnsatisfiable"),
    volumes: { ...map("name"), ...merged("name", "merge,retainKeys") },
  },
  PodStatus: {
    ...conditions,
    hostIPs: merged("ip"),
    podIPs: by("ip"),
    resourceClaimStatuses: { ...map("name"), ...merged("name", "merge,retainKeys") },
  },
  Container: container,
  EphemeralContainer: container,
  ContainerStatus: { allocatedResourcesStatus: by("name"), volumeMounts: by("mountPath") },
  ContainerRestartRuleOnExitCodes: { values: set },
  ResourceRequirements: { claims: map("name") },
  ResourceStatus: { resources: map("resourceID") },
  NodeAllocatableResourceClaimStatus: { containers: set },
  PersistentVolumeClaimStatus: { ...conditions, allocatedResourceStatuses: granularMap },
  PersistentVolumeSpec: { claimRef: granularMap },
  NodeSpec: { podCIDRs: mergedSet },
  NodeStatus: { ...conditions, addresses: by("type") },
  NamespaceStatus: conditions,
  ServiceSpec: { ports: by("port", "protocol"), selector: atomicMap },
  ServiceStatus: conditions,
  ServiceAccount: { secrets: by("name") },
  DaemonSetStatus: conditions,
  DeploymentSpec: { strategy: strategy("retainKeys") },
  DeploymentStatus: conditions,
  ReplicaSetStatus: conditions,
  StatefulSetStatus: conditions,
  CustomResourceDefinitionStatus: { conditions: map("type") },
  JSONSchemaProps: { "x-kubernetes-validations": by("rule") },
  MutatingAdmissionPolicySpec: { matchConditions: by("name") },
  ValidatingAdmissionPolicyBindingSpec: { validationActions: set },
  ValidatingAdmissionPolicySpec: { matchConditions: by("name"), variables: by("name") },
  ValidatingAdmissionPolicyStatus: { conditions: map("type") },
};

/** Types that are owned and replaced whole wherever they stand. */
export const atomicTypes: ReadonlySet<string> = new Set([
  "ConfigMapKeySelector",
  "FileKeySelector",
  "LabelSelector",
  "LocalObjectReference",
  "MatchResources",
  "NamedRuleWithOperations",
  "NodeSelector",
  "NodeSelectorTerm",
  "ObjectFieldSelector",
  "ObjectReference",
  "OwnerReference",
  "ParamKind",
  "ParamRef",
  "ResourceFieldSelector",
  "RoleRef",
  "SecretKeySelector",
  "SecretReference",
  "Subject",
  "TopologySelectorTerm",
  "TypedLocalObjectReference",
  "Variable",
]);

/** Defaults that the keys of list maps fall back to: two ports without a protocol are both TCP. */
export const keyDefaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ContainerPort: { protocol: "TCP" },
  ServicePort: { protocol: "TCP" },
};
