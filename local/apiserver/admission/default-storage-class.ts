import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { objectIn, specOf } from "../kinds/fields.ts";
import type { Resource } from "../resource.ts";
import type { State } from "../state.ts";

const marks = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/**
 * DefaultStorageClass: a new claim that names no class gets the newest of the default ones. The empty name is one. In
 * place.
 */
export function applyDefaultStorageClass({ store }: State, resource: Resource, object: KubernetesObject): void {
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
