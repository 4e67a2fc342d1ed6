/** A Kubernetes owner reference, as stored. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Object metadata as stored: timestamps stay RFC 3339 strings, unknown fields stay. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  [field: string]: unknown;
}

/** Any object of the Kubernetes API, untouched: what the server sent is what a rule sees. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Names one object without saying which incarnation: a re-created object has the same reference and another uid. */
export interface ObjectReference {
  apiVersion: string;
  kind: string;
  /** Absent for cluster-scoped kinds. */
  namespace?: string;
  name: string;
}

/** The reference of a live object. */
export function referenceTo(object: KubernetesObject): ObjectReference {
  const { namespace, name } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, ...(namespace ? { namespace } : {}), name };
}

/** `kind namespace/name`, as people write it. */
export function describe(reference: ObjectReference): string {
  return `${reference.kind} ${reference.namespace ? `${reference.namespace}/` : ""}${reference.name}`;
}
