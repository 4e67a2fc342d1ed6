import type { Reflection } from "../../../eventing/watch/reflect.ts";
import type { NodeObject } from "../objects/node.ts";
import type { PodObject } from "../objects/pod.ts";
import type { BinderCaches } from "../volume-binder/caches.ts";

/** What the scheduler knows of the cluster, a little behind the truth. */
export interface SchedulerCaches extends BinderCaches {
  pods: Reflection<PodObject>;
  nodes: Reflection<NodeObject>;
}
