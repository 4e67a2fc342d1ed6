import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { guessPlural } from "./plural.ts";

/**
 * The resource that a source watches for a kind; `undefined` when its group has none of the guessed name. Rejects with
 * an `ApiError`, 404 when there is no such group.
 */
export async function findResource(client: Client, apiVersion: string, kind: string): Promise<Kind | undefined> {
  const path = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = guessPlural(kind);
  const { resources } = await client.request<{ resources: { name: string; namespaced: boolean }[] }>("GET", path);
  const found = resources.find(({ name }) => name === plural);
  return found && { apiVersion, kind, plural, namespaced: found.namespaced };
}
