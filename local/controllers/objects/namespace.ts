import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Condition } from "./condition.ts";

/** A Namespace as far as the controllers read it. */
export interface NamespaceObject extends KubernetesObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: "Active" | "Terminating"; conditions?: readonly Condition[] };
}
