import type { Kind } from "./kind.ts";
import type { KubernetesObject } from "./object.ts";
import type { Write } from "./write.ts";

/**
 * Replaces the value of an annotation where it is still `before`, or removes it where there is to be none `after`, also
 * if the object has changed otherwise since it was read. The API server answers 422 where the annotation has another
 * value, or the object another uid.
 */
export function replaceAnnotation(
  kind: Kind,
  { metadata: { namespace, name, uid } }: KubernetesObject,
  key: string,
  before: string,
  after: string | undefined,
): Write {
  const path = `/metadata/annotations/${key.replace("/", "~1")}`;
  const patch = [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path, value: before },
    after === undefined ? { op: "remove", path } : { op: "replace", path, value: after },
  ];
  return { verb: "patch", kind, namespace, name, type: "json", patch };
}
