import type { Kind } from "./kind.ts";
import type { KubernetesObject } from "./object.ts";
import type { Write } from "./write.ts";

/**
 * Sets annotations and labels (null removes) on the object as it was read: the uid and resourceVersion in the patch
 * make the API server answer 409 when the object is another one or has changed since.
 */
export function annotate(
  kind: Kind,
  object: KubernetesObject,
  annotations: Record<string, string | null>,
  labels?: Record<string, string | null>,
): Write {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  const metadata = { uid, resourceVersion, annotations, ...(labels ? { labels } : {}) };
  return { verb: "patch", kind, namespace, name, type: "merge", patch: { metadata } };
}
