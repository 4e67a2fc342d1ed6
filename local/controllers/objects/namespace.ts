import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/** A Namespace as far as the controllers read it. */
export interface NamespaceObject extends KubernetesObject {
  spec?: { finalizers?: string[] };
}
