import { type Kind, pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { askCluster } from "./request.ts";

/** Which objects of a kind. */
export interface Selection {
  readonly kind: Kind;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Objects of a kind as they were at one version, by uid. */
export interface Listed {
  readonly resourceVersion: string;
  readonly objects: ReadonlyMap<string, KubernetesObject>;
}

interface Page {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly KubernetesObject[];
}

const pageSize = 500;

/** Lists objects, page by page. Items of a list carry neither kind nor apiVersion: they get them here. */
export async function list({ kind, ...selection }: Selection, signal?: AbortSignal): Promise<Listed> {
  const objects = new Map<string, KubernetesObject>();
  for (let next: string | undefined; ; ) {
    const query = queryOf({ ...selection, limit: String(pageSize), continue: next });
    const page = await askCluster<Page>(`${pathOf(kind, selection.namespace)}?${query}`, { signal });
    for (const item of page.items)
      objects.set(item.metadata.uid, { ...item, apiVersion: kind.apiVersion, kind: kind.kind });
    next = page.metadata.continue;
    if (!next) return { resourceVersion: page.metadata.resourceVersion, objects };
  }
}

/** The path of a watch from a version on. The API server ends it by itself after some minutes; then it is resumed. */
export function watchPath({ kind, ...selection }: Selection, resourceVersion: string): string {
  const query = queryOf({ ...selection, watch: "true", allowWatchBookmarks: "true", resourceVersion });
  return `${pathOf(kind, selection.namespace)}?${query}`;
}

function queryOf({ namespace: _, ...parameters }: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return new URLSearchParams(given).toString();
}
