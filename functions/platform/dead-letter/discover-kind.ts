import { isNotFound } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";

interface ResourceList {
  readonly resources?: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

/**
 * A kind as the API server serves it, which anyone who is signed in may ask; `undefined` when it serves none. The names
 * are an event's: what is no version of an API is not asked for.
 */
export async function discoverKind(client: Client, apiVersion: string, kind: string): Promise<Kind | undefined> {
  if (!/^([a-z0-9.-]+\/)?v[a-z0-9]+$/.test(apiVersion)) return undefined;
  const root = apiVersion.includes("/") ? "/apis" : "/api";
  const list = client.request<ResourceList>("GET", `${root}/${apiVersion}`);
  const { resources = [] } = await list.catch((error: unknown) => {
    if (isNotFound(error)) return {} as ResourceList;
    throw error;
  });
  const found = resources.find((resource) => resource.kind === kind && !resource.name.includes("/"));
  return found && { apiVersion, kind, plural: found.name, namespaced: found.namespaced };
}
