import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { forbidden } from "../failure.ts";
import { objectIn, specOf } from "../kinds/fields.ts";
import { definitions } from "../kinds/serve-definitions.ts";
import type { Call } from "../request/call.ts";
import type { Resource } from "../resource.ts";
import type { State } from "../state.ts";

/** What new objects alone are held to, and get, in place. Throws 403. */
export function admitNew(state: State, call: Call, object: KubernetesObject): void {
  checkDefinition(state, call, object);
  applyDefaultStorageClass(state, call.resource, object);
  protectObjectInUse(state, call.resource, object);
  warnOfUnattended(call);
}

/** What a definition that is being deleted defines takes nothing new. */
function checkDefinition({ store }: State, { resource }: Call, { metadata }: KubernetesObject): void {
  if (!resource.custom) return;
  const definition = store.get(definitions, `${resource.plural}.${resource.apiVersion.split("/")[0]}`);
  if (!definition?.object.metadata.deletionTimestamp) return;
  const why = "create not allowed while custom resource definition is terminating";
  throw forbidden(resource, metadata.name ?? "", why);
}

const marks = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/**
 * DefaultStorageClass: a new claim that names no class gets the newest of the default ones. The empty name is one.
 */
function applyDefaultStorageClass({ store }: State, resource: Resource, object: KubernetesObject): void {
  if (resource.kind !== "PersistentVolumeClaim" || resource.apiVersion !== "v1") return;
  if (specOf(object).storageClassName !== undefined) return;
  if (object.metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] !== undefined) return;
  const classes = (store.list("storage.k8s.io/storageclasses", "") ?? [])
    .map(({ object: storageClass }) => storageClass.metadata)
    .filter(({ annotations }) => marks.some((mark) => annotations?.[mark] === "true"));
  const created = (metadata: KubernetesObject["metadata"]) => metadata.creationTimestamp ?? "";
  classes.sort((left, right) => (created(left) < created(right) ? 1 : created(left) > created(right) ? -1 : 0));
  if (classes[0]) objectIn(object, "spec").storageClassName = classes[0].name;
}

const finalizers: Readonly<Record<string, string>> = {
  PersistentVolumeClaim: "kubernetes.io/pvc-protection",
  PersistentVolume: "kubernetes.io/pv-protection",
};

/** StorageObjectInUseProtection: new claims and volumes get the finalizer of the in-tree protection. */
function protectObjectInUse({ switches }: State, resource: Resource, { metadata }: KubernetesObject): void {
  const finalizer = resource.apiVersion === "v1" ? finalizers[resource.kind] : undefined;
  if (!switches.objectInUseProtection || !finalizer || metadata.finalizers?.includes(finalizer)) return;
  metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
}

/** Kinds of `apps/v1` that are served, for kubectl to be tried on, and that no controller here makes pods of. */
const unattended = ["DaemonSet", "Deployment", "ReplicaSet"];

/** Warns a user who creates something that no controller acts on. */
function warnOfUnattended({ resource, warnings }: Call): void {
  if (resource.apiVersion !== "apps/v1" || !unattended.includes(resource.kind)) return;
  warnings.push(`the laptop edition has no controller for ${resource.plural}: no pods will be made of this one`);
}
