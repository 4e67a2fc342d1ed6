import type { KubernetesObject } from "../kubernetes/object.ts";

/** The names of objects, with their namespaces: the first ones, five by default, and how many more there are. */
export function someOf(objects: readonly KubernetesObject[], most = 5): string {
  const few = objects
    .slice(0, most)
    .map(({ metadata }) => [metadata.namespace, metadata.name].filter(Boolean).join("/"));
  return few.join(", ") + (objects.length > few.length ? ` and ${objects.length - few.length} more` : "");
}
