import type { Reflection } from "../../../eventing/watch/reflect.ts";
import type { NodeObject } from "../objects/node.ts";
import type { PodObject } from "../objects/pod.ts";
import type { ClaimObject, ClassObject, VolumeObject } from "../objects/storage.ts";

/** What the scheduler knows of the cluster, a little behind the truth. */
export interface SchedulerCaches {
  pods: Reflection<PodObject>;
  nodes: Reflection<NodeObject>;
  claims: Reflection<ClaimObject>;
  volumes: Reflection<VolumeObject>;
  classes: Reflection<ClassObject>;
}
