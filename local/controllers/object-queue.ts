import type { Reflection } from "../../eventing/watch/reflect.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type ControllerTools, splitKey } from "./controller.ts";
import { startWorkQueue, type WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

export interface ObjectQueueOptions<T extends KubernetesObject> extends Omit<WorkQueueOptions, "work"> {
  /** Where an object is read when it is looked at. */
  objects: Reflection<T>;
  /** Looks at an object as the cache shows it, unless it is gone; never called twice at once for the same one. */
  work(object: T, key: string): Promise<void>;
}

/** Starts the work queue of a controller that looks at objects of one kind, by keys as `keyOf` makes them. */
export function startObjectQueue<T extends KubernetesObject>(
  tools: ControllerTools,
  { objects, work, ...options }: ObjectQueueOptions<T>,
): WorkQueue {
  return startWorkQueue(tools, {
    ...options,
    async work(key) {
      const { namespace, name } = splitKey(key);
      const object = objects.get(namespace, name);
      if (object) await work(object, key);
    },
  });
}
