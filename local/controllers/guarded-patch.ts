import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

/**
 * Merge-patches an object as it was read: 409 when it has changed since, `undefined` when it is gone. `null` removes a
 * field, a list replaces the whole list.
 */
export function guardedPatch<T extends KubernetesObject>(
  client: Client,
  kind: Kind,
  object: T,
  patch: { metadata?: object; [field: string]: unknown },
  subresource?: "status",
): Promise<T | undefined> {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  const body = { ...patch, metadata: { ...patch.metadata, uid, resourceVersion } };
  return client.patch<T>(kind, namespace, name, "merge", body, subresource ? { subresource } : {});
}
