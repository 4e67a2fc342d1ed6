import { hashKey, type QueryClient } from "@tanstack/react-query";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type Listed, list, type Selection, watchPath } from "./list.ts";
import type { Change } from "./write.ts";

/** Where the objects of a selection are in the cache. */
export const keyOf = ({ kind, namespace = "", labelSelector = "", fieldSelector = "" }: Selection) =>
  ["list", kind.apiVersion, kind.plural, namespace, labelSelector, fieldSelector] as const;

/** Whether this very object is there; `undefined` where no list on the page that would have it is read. */
export function isListed(
  cache: QueryClient,
  { kind, namespace = "", name, uid }: Pick<Change, "kind" | "namespace" | "name" | "uid">,
): boolean | undefined {
  const queryKey = ["list", kind.apiVersion, kind.plural];
  const lists = cache.getQueriesData<Listed>({ queryKey, type: "active" }).filter(([, listed]) => listed);
  if (lists.some(([, listed]) => listed?.objects.has(uid))) return true;
  const all = [keyOf({ kind }), keyOf({ kind, namespace })];
  const whole = [...all, ...all.map((key) => key.with(-1, `metadata.name=${name}`))].map(hashKey);
  return lists.some(([key]) => whole.includes(hashKey(key))) ? false : undefined;
}

/** What a watch has sent. */
export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubernetesObject;
}

/** Changes are shown together, so that a thousand of them are one rendering. */
const showEvery = 100;

/** A selection whose objects in the cache follow what the API server says. */
export interface Followed {
  readonly selection: Selection;
  /** How many parts of the page show it. */
  pages: number;
  /** Its version is too old to be resumed from. */
  isStale: boolean;
  /** It is not worth another try before the page is opened again. */
  isOver: boolean;
  path(): string;
  apply(event: WatchEvent): void;
  relist(signal: AbortSignal): Promise<void>;
}

export function createFollowed(cache: QueryClient, selection: Selection): Followed {
  const key = keyOf(selection);
  const { kind } = selection;
  const changed = new Map<string, KubernetesObject | undefined>();
  let resourceVersion = cache.getQueryData<Listed>(key)?.resourceVersion ?? "";
  let isShowing = false;

  function show(): void {
    isShowing = false;
    const before = cache.getQueryData<Listed>(key);
    if (!before || changed.size === 0) return;
    const objects = new Map(before.objects);
    for (const [uid, object] of changed)
      if (object) objects.set(uid, object);
      else objects.delete(uid);
    changed.clear();
    cache.setQueryData<Listed>(key, { resourceVersion, objects });
  }

  return {
    selection,
    pages: 0,
    isStale: false,
    isOver: false,
    path: () => watchPath(selection, resourceVersion),
    apply({ type, object }) {
      resourceVersion = object.metadata.resourceVersion;
      if (type === "BOOKMARK") return;
      const { uid } = object.metadata;
      changed.set(uid, type === "DELETED" ? undefined : { ...object, apiVersion: kind.apiVersion, kind: kind.kind });
      if (!isShowing) setTimeout(show, showEvery);
      isShowing = true;
    },
    async relist(signal) {
      const listed = await list(selection, signal);
      changed.clear();
      resourceVersion = listed.resourceVersion;
      cache.setQueryData<Listed>(key, listed);
      this.isStale = false;
    },
  };
}
