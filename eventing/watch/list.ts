import { isExpired } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { type Kind, pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Selection } from "./watch.ts";

/** All objects of a selection at one moment, and that moment: where a watch goes on from. */
export interface Snapshot<T extends KubernetesObject> {
  items: T[];
  resourceVersion: string;
}

/** Lists consistently, page after page; starts again when a continue token expired. Failures are `ApiError`s. */
export async function listSnapshot<T extends KubernetesObject>(
  client: Client,
  kind: Kind,
  selection: Selection = {},
): Promise<Snapshot<T>> {
  for (;;) {
    try {
      return await listPages(client, kind, selection);
    } catch (error) {
      // The first page cannot expire, so this only goes round when a later one did.
      if (!isExpired(error)) throw error;
    }
  }
}

interface Page<T> {
  items: T[] | null;
  metadata: { resourceVersion: string; continue?: string };
}

async function listPages<T extends KubernetesObject>(
  client: Client,
  kind: Kind,
  { namespace, labelSelector, fieldSelector, metadataOnly }: Selection,
): Promise<Snapshot<T>> {
  const query = new URLSearchParams({ limit: "500" });
  if (labelSelector) query.set("labelSelector", labelSelector);
  if (fieldSelector) query.set("fieldSelector", fieldSelector);
  const accept = metadataOnly ? metadataList : "application/json";
  const items: T[] = [];
  for (;;) {
    const path = `${pathOf(kind, namespace)}?${query}`;
    const page = await client.request<Page<T>>("GET", path, undefined, { accept });
    // Items of a list carry neither apiVersion nor kind.
    for (const item of page.items ?? []) items.push({ ...item, apiVersion: kind.apiVersion, kind: kind.kind });
    if (!page.metadata.continue) return { items, resourceVersion: page.metadata.resourceVersion };
    query.set("continue", page.metadata.continue);
  }
}

const metadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
