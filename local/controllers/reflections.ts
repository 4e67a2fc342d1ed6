import type { FollowTools } from "../../eventing/watch/follow.ts";
import { type Reflection, reflect } from "../../eventing/watch/reflect.ts";
import type { Selection } from "../../eventing/watch/watch.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

/** Reflections shared by all who ask for the same kind and selection, so that each is listed and watched once. */
export type Reflections = ReturnType<typeof shareReflections>;

/** Reflections begin when first asked for and end with the tools' signal. */
export function shareReflections(tools: FollowTools, options: { failed?(error: unknown): void } = {}) {
  const started = new Map<string, Reflection>();
  return {
    of<T extends KubernetesObject>(kind: Kind, selection: Selection = {}) {
      const key = JSON.stringify([kind.apiVersion, kind.plural, selection]);
      const reflection = started.get(key) ?? reflect(tools, kind, { ...options, ...selection });
      started.set(key, reflection);
      // The caller names the type of the kind; what is stored is the same object under any type.
      return reflection as unknown as Reflection<T>;
    },
    /** Resolves when all that was started has stopped. */
    async stopped() {
      await Promise.all([...started.values()].map((reflection) => reflection.stopped));
    },
  };
}
