import type { Kind } from "./kind.ts";
import type { KubernetesObject } from "./object.ts";
import type { Write } from "./write.ts";

/**
 * A JSON Patch on the object as it was read: the API server refuses it (422, a failed `test`) when the object is
 * another one of the same name, or has changed since.
 */
export function guardedPatch(kind: Kind, object: KubernetesObject, operations: readonly object[]): Write {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  const guards = [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
  ];
  return { verb: "patch", kind, namespace, name, type: "json", patch: [...guards, ...operations] };
}

/**
 * The operations of a JSON Patch that set annotations or labels of the object as it was read, or remove them (null).
 * `made`: an operation before them has made the map.
 */
export function metadataOperations(
  { metadata }: KubernetesObject,
  map: "annotations" | "labels",
  changes: Readonly<Record<string, string | null>>,
  made = false,
): readonly object[] {
  const path = `/metadata/${map}`;
  const present = metadata[map];
  const operations = Object.entries(changes).flatMap(([key, value]): object[] => {
    const place = `${path}/${escapePointer(key)}`;
    if (value !== null) return [{ op: "add", path: place, value }];
    return present?.[key] === undefined ? [] : [{ op: "remove", path: place }];
  });
  return present || made || operations.length === 0 ? operations : [{ op: "add", path, value: {} }, ...operations];
}

/** A key as one step of a JSON Pointer (RFC 6901). */
export function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
