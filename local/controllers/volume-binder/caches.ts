import type { Reflection } from "../../../eventing/watch/reflect.ts";
import type { ClaimObject, ClassObject, VolumeObject } from "../objects/storage.ts";

/** What the binder knows of the cluster, a little behind the truth. */
export interface BinderCaches {
  claims: Reflection<ClaimObject>;
  volumes: Reflection<VolumeObject>;
  classes: Reflection<ClassObject>;
}

/** Whether the claim's volume is chosen or made only when its first pod is scheduled. */
export function waitsForConsumer({ spec }: ClaimObject, { classes }: Pick<BinderCaches, "classes">): boolean {
  return classes.get(undefined, spec.storageClassName ?? "")?.volumeBindingMode === "WaitForFirstConsumer";
}
