import type { Client } from "../../../shared/kubernetes/client.ts";
import { type Kind, pathOf } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Handler, Start } from "../../harness/functions.ts";

/** Starts a function on another client. */
export const withClient =
  (start: (start: Start) => Handler, change: (client: Client) => Partial<Client>) =>
  (tools: Start): Handler =>
    start({
      ...tools,
      client: async () => {
        const client = await tools.client();
        return { ...client, ...change(client) };
      },
    });

/** One page of a list, asked for as a careless author would. */
export async function onePage(
  client: Client,
  kind: Kind,
  namespace: string | undefined,
  query: Record<string, string>,
): Promise<KubernetesObject[]> {
  const path = `${pathOf(kind, namespace)}?${new URLSearchParams(query)}`;
  const { items } = await client.request<{ items: KubernetesObject[] | null }>("GET", path);
  return (items ?? []).map((item) => ({ ...item, apiVersion: kind.apiVersion, kind: kind.kind }));
}

/** Objects as an async list gives them. */
export async function* listed<T>(items: Promise<readonly T[]>): AsyncGenerator<T> {
  yield* await items;
}
