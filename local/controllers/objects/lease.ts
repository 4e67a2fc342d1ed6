import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/** A Lease: who holds it, and when it was last renewed. */
export interface LeaseObject extends KubernetesObject {
  spec?: { holderIdentity?: string; renewTime?: string; leaseDurationSeconds?: number };
}
