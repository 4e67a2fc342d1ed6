import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type FollowTools, follow } from "./follow.ts";
import type { Selection, WatchEvent } from "./watch.ts";

/** An object that was replaced by another of the same name is a `delete` and an `add`, never an `update`. */
export type Change = "add" | "update" | "delete";

/** Called with each change, in order; `old` is what the cache held, for updates and deletes. Must not throw. */
type ChangeHandler<T extends KubernetesObject> = (change: Change, object: T, old?: T) => void;

/**
 * A local copy of a kind's objects, as old as the network makes it. Objects in it are shared: read them, never change
 * them.
 */
export interface Reflection<T extends KubernetesObject = KubernetesObject> {
  get(namespace: string | undefined, name: string): T | undefined;
  /** All objects, or those of a namespace, in the order they were first seen. */
  list(namespace?: string): T[];
  /** Hears of every change from now on, and at once of what is there already, as `add`. */
  on(handler: ChangeHandler<T>): void;
  /** Resolves when the first list is in. Stays pending for as long as the server refuses it. */
  readonly synced: Promise<void>;
  /** Resolves when the signal has aborted and nothing is left running. */
  readonly stopped: Promise<void>;
}

export interface ReflectOptions extends Selection {
  failed?(error: unknown): void;
  /** Milliseconds by which every change after the first list is held back: a deliberately stale cache. */
  lag?: number;
}

/** An informer in miniature: follows a kind, keeps a copy, calls handlers with what changed. */
export function reflect<T extends KubernetesObject>(
  tools: FollowTools,
  kind: Kind,
  options: ReflectOptions = {},
): Reflection<T> {
  const { lag = 0, ...following } = options;
  const namespaces = new Map<string, Map<string, T>>();
  const handlers: ChangeHandler<T>[] = [];
  const synced = Promise.withResolvers<void>();
  let first = true;

  const notify: ChangeHandler<T> = (change, object, old) => {
    for (const handler of handlers) handler(change, object, old);
  };

  function put(object: T): void {
    const { namespace = "", name, uid, resourceVersion } = object.metadata;
    const named = namespaces.get(namespace) ?? new Map<string, T>();
    const old = named.get(name);
    if (old?.metadata.resourceVersion === resourceVersion && old.metadata.uid === uid) return;
    if (old && old.metadata.uid !== uid) remove(old);
    namespaces.set(namespace, named);
    named.set(name, object);
    if (old?.metadata.uid === uid) notify("update", object, old);
    else notify("add", object);
  }

  function remove(object: T): void {
    const { namespace = "", name } = object.metadata;
    const named = namespaces.get(namespace);
    const old = named?.get(name);
    if (!named || !old) return;
    named.delete(name);
    if (!named.size) namespaces.delete(namespace);
    notify("delete", object, old);
  }

  function list(namespace?: string): T[] {
    if (namespace !== undefined) return [...(namespaces.get(namespace)?.values() ?? [])];
    return [...namespaces.values()].flatMap((named) => [...named.values()]);
  }

  function replace(items: T[]): void {
    const present = new Set(items.map(keyOf));
    for (const old of list()) if (!present.has(keyOf(old))) remove(old);
    for (const item of items) put(item);
  }

  // Sleeps of equal length end in the order they began, so what is held back stays in order.
  const withTimeout = (change: () => void) => {
    if (lag) tools.clock.sleep(lag, tools.signal).then(change, () => {});
    else change();
  };

  const stopped = follow<T>(tools, kind, {
    ...following,
    replace(items) {
      if (!first) return withTimeout(() => replace(items));
      first = false;
      replace(items);
      synced.resolve();
    },
    apply: ({ type, object }: WatchEvent<T>) => withTimeout(() => (type === "DELETED" ? remove(object) : put(object))),
  });

  return {
    get: (namespace, name) => namespaces.get(namespace ?? "")?.get(name),
    list,
    on(handler) {
      handlers.push(handler);
      for (const object of list()) handler("add", object);
    },
    synced: synced.promise,
    stopped,
  };
}

/** `namespace/name`, or the name alone for cluster-scoped kinds: the key of one object within its kind. */
export function keyOf(object: KubernetesObject): string {
  const { namespace, name } = object.metadata;
  return namespace ? `${namespace}/${name}` : name;
}
