/** A kind of the Kubernetes API with what it takes to build its URL. */
export interface Kind {
  /** `v1` or `group/version`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The resource name in URLs and roles. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** The family of events that its changes belong to; only kinds whose changes or sweeps trigger a rule need one. */
  readonly family?: Family;
}

/**
 * The families of events, each with its sources and its broker. On a channel-based broker every Trigger costs one HTTP
 * request for every event of its broker, whether its filter matches or not: kinds that change often are kept apart from
 * the others.
 */
export type Family = "workloads" | "storage" | "nodes";

export const Pod = {
  apiVersion: "v1",
  kind: "Pod",
  plural: "pods",
  namespaced: true,
  family: "workloads",
} as const satisfies Kind;
export const PersistentVolumeClaim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  namespaced: true,
  family: "storage",
} as const satisfies Kind;
export const StatefulSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  plural: "statefulsets",
  namespaced: true,
  family: "workloads",
} as const satisfies Kind;
export const ControllerRevision = {
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
  namespaced: true,
} as const satisfies Kind;
/**
 * What namespaces and classes say changes seldom: beside pods, each Trigger for them would cost a request for every
 * heartbeat.
 */
export const Namespace = {
  apiVersion: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
  family: "storage",
} as const satisfies Kind;
export const PersistentVolume = {
  apiVersion: "v1",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  namespaced: false,
  family: "storage",
} as const satisfies Kind;
export const StorageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  plural: "storageclasses",
  namespaced: false,
  family: "storage",
} as const satisfies Kind;
export const Node = {
  apiVersion: "v1",
  kind: "Node",
  plural: "nodes",
  namespaced: false,
  family: "nodes",
} as const satisfies Kind;
export const ResourceQuota = {
  apiVersion: "v1",
  kind: "ResourceQuota",
  plural: "resourcequotas",
  namespaced: true,
} as const satisfies Kind;
export const ConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
} as const satisfies Kind;
export const Secret = {
  apiVersion: "v1",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
} as const satisfies Kind;
export const Event = {
  apiVersion: "events.k8s.io/v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
} as const satisfies Kind;

/** The API group of a kind: empty for the core group. */
export function groupOf(kind: Kind): string {
  const slash = kind.apiVersion.indexOf("/");
  return slash < 0 ? "" : kind.apiVersion.slice(0, slash);
}

/** The URL path of a kind's collection, or of one object of it. */
export function pathOf(kind: Kind, namespace?: string, name?: string, subresource?: string): string {
  const root = kind.apiVersion.includes("/") ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
  const scope = kind.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  const object = name === undefined ? "" : `/${encodeURIComponent(name)}`;
  return `${root}${scope}/${kind.plural}${object}${subresource ? `/${subresource}` : ""}`;
}
