import { escapePointer, guardedPatch } from "./guarded-patch.ts";
import type { Kind } from "./kind.ts";
import type { KubernetesObject } from "./object.ts";
import type { Write } from "./write.ts";

/** Whether the object carries the finalizer. */
export function hasFinalizer(object: KubernetesObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** Whether deletion was asked for. There is no way back from it. */
export function isBeingDeleted(object: KubernetesObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/**
 * Appends finalizers to the object as it was read. The API server refuses the patch (422) when the object has changed
 * since, and refuses new finalizers on an object being deleted.
 */
export function addFinalizers(kind: Kind, object: KubernetesObject, finalizers: readonly string[]): Write {
  const present = object.metadata.finalizers;
  const add = present
    ? finalizers.map((value) => ({ op: "add", path: "/metadata/finalizers/-", value }))
    : [{ op: "add", path: "/metadata/finalizers", value: finalizers }];
  return guardedPatch(kind, object, add);
}

/**
 * Removes one finalizer, and the annotations and labels that go with it, from the object as it was read. Every other
 * finalizer stays in any case: the patch names one element and tests its value, because a merge patch would
 * replace the whole list.
 */
export function removeFinalizer(
  kind: Kind,
  object: KubernetesObject,
  finalizer: string,
  annotations: readonly string[] = [],
  labels: readonly string[] = [],
): Write {
  const path = `/metadata/finalizers/${object.metadata.finalizers?.indexOf(finalizer) ?? -1}`;
  const { metadata } = object;
  const gone = [
    ...annotations
      .filter((key) => metadata.annotations?.[key] !== undefined)
      .map((key) => ["annotations", key] as const),
    ...labels.filter((key) => metadata.labels?.[key] !== undefined).map((key) => ["labels", key] as const),
  ];
  return guardedPatch(kind, object, [
    { op: "test", path, value: finalizer },
    { op: "remove", path },
    ...gone.map(([where, key]) => ({ op: "remove", path: `/metadata/${where}/${escapePointer(key)}` })),
  ]);
}
