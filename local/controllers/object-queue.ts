import type { Reflection } from "../../eventing/watch/reflect.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type ControllerTools, splitKey } from "./controller.ts";
import { startWorkQueue, type WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

export interface ObjectQueueOptions<T extends KubernetesObject> extends Pick<WorkQueueOptions, "ready" | "workers"> {
  /** Name of the controller, under which failures are reported. */
  controller: string;
  /** Where an object is read when it is looked at. */
  objects: Reflection<T>;
  /** Looks at an object as the cache shows it, unless it is gone; never called twice at once for the same one. */
  work(object: T, key: string): Promise<void>;
}

/**
 * Starts the work queue of a controller that looks at objects of one kind, by keys as `keyOf` makes them. A rejection
 * is reported as trouble of the controller, and retried with backoff.
 */
export function startObjectQueue<T extends KubernetesObject>(
  { clock, signal, trouble }: ControllerTools,
  { controller, objects, work, ...options }: ObjectQueueOptions<T>,
): WorkQueue {
  return startWorkQueue({
    ...options,
    clock,
    signal,
    work(key) {
      const { namespace, name } = splitKey(key);
      const object = objects.get(namespace, name);
      return object ? work(object, key) : Promise.resolve();
    },
    failed: (subject, error) => trouble({ controller, subject, error }),
  });
}
