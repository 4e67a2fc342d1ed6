import { isNotFound } from "../kubernetes/api-error.ts";
import type { Client, ListOptions } from "../kubernetes/client.ts";
import type { Kind } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";

/** All objects of a kind; none where the API server does not serve the kind. Otherwise throws as `list` does. */
export async function* listServed<T extends KubernetesObject>(
  client: Client,
  kind: Kind,
  options: ListOptions = {},
): AsyncIterable<T> {
  try {
    yield* client.list<T>(kind, options);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
