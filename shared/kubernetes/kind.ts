/** A kind of the Kubernetes API with what it takes to build its URL. */
export interface Kind {
  /** `v1` or `group/version`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The resource name in URLs and roles. */
  readonly plural: string;
  readonly namespaced: boolean;
}

export const Pod = { apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true } as const satisfies Kind;
export const PersistentVolumeClaim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  namespaced: true,
} as const satisfies Kind;
export const StatefulSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  plural: "statefulsets",
  namespaced: true,
} as const satisfies Kind;
export const ControllerRevision = {
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
  namespaced: true,
} as const satisfies Kind;
export const Namespace = {
  apiVersion: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
} as const satisfies Kind;
export const ConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
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
