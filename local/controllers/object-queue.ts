import { keyOf, type Reflection } from "../../eventing/watch/reflect.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type ControllerTools, type Running, splitKey } from "./controller.ts";
import { startWorkQueue, type WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

export interface ObjectQueueOptions<T extends KubernetesObject> extends Omit<WorkQueueOptions, "ready" | "work"> {
  /** Where an object is read when it is looked at. Each change of one that is there calls for a look. */
  objects: Reflection<T>;
  /** Whether a change does; it does by default. */
  concerns?(object: T): boolean;
  /** What must be known, too, before any object is looked at. */
  reads?: readonly Running[];
  /** Looks at an object as the cache shows it, unless it is gone; never called twice at once for the same one. */
  work(object: T, key: string): Promise<void>;
}

/** Starts the work queue of a controller that looks at objects of one kind, by keys as `keyOf` makes them. */
export function startObjectQueue<T extends KubernetesObject>(
  tools: ControllerTools,
  { objects, concerns = () => true, reads = [], work, ...options }: ObjectQueueOptions<T>,
): WorkQueue & Running {
  const synced = Promise.all([objects, ...reads].map((one) => one.synced));
  const queue = startWorkQueue(tools, {
    ...options,
    ready: synced,
    async work(key) {
      const { namespace, name } = splitKey(key);
      const object = objects.get(namespace, name);
      if (object) await work(object, key);
    },
  });
  objects.on((change, object) => {
    if (change !== "delete" && concerns(object)) queue.add(keyOf(object));
  });
  return { ...queue, synced };
}
