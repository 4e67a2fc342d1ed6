import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import { forbidden } from "../failure.ts";
import { fieldsAt, specOf, statusOf } from "../kinds/fields.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";

const sizeOf = (claim: KubernetesObject) => quantityValue(fieldsAt(claim, "spec", "resources", "requests").storage);

/** PersistentVolumeClaimResize: a bound claim grows only where its class says that volumes can. Throws 403. */
export function checkResize({ store }: State, call: Call, next: KubernetesObject, live?: KubernetesObject): void {
  const { resource, subresource } = call;
  if (resource.kind !== "PersistentVolumeClaim" || resource.custom || subresource || !live) return;
  if (statusOf(live).phase !== "Bound" || !(sizeOf(next) > sizeOf(live))) return;
  const { storageClassName } = specOf(next);
  const storageClass = storageClassName ? store.get("storage.k8s.io/storageclasses", `${storageClassName}`) : undefined;
  if (storageClass?.object.allowVolumeExpansion === true) return;
  const why =
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
  throw forbidden(resource, next.metadata.name, why);
}
