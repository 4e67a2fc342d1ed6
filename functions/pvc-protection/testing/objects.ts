import type { Hint } from "../../../shared/event/hint.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/** Claim `shop/data`. */
export const claim = (metadata: object = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "shop", uid: "u1", resourceVersion: "9", ...metadata },
});

/** An event about an object of namespace `shop`; about `x` where the object is not known. */
export const hint = (
  change: Hint["change"],
  object: KubernetesObject | undefined,
  kind = object?.kind ?? "Pod",
): Hint => ({
  id: "e1",
  change,
  apiVersion: "v1",
  kind,
  namespace: "shop",
  name: object?.metadata.name ?? "x",
  object,
});
