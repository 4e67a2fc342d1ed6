import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * The object as `kubectl apply` creates it: with a note of what was applied. Without the note, kubectl warns of every
 * object of the install when a user applies an overlay of theirs to it, and takes nothing away that the overlay
 * leaves out.
 */
export function asApplied(object: KubernetesObject): KubernetesObject {
  const { metadata } = object;
  const applied = { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations } } };
  const note = `${JSON.stringify(applied, sortedKeys)}\n`;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [lastApplied]: note } } };
}

/** Go writes the keys of a map in their order. */
function sortedKeys(_: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
