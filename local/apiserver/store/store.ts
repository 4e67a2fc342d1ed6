import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { type Collection, createCollection, lowerBound } from "./collection.ts";
import { type Stored, type StoreEvent, storedAs } from "./stored.ts";

/** What etcd and the watch cache are to a real API server. */
export type Store = ReturnType<typeof createStore>;

/**
 * Called with each change of a collection while it is being committed, before anybody else can act on it. Must not
 * throw.
 */
export type Observe = (collection: string, event: StoreEvent) => void;

/** An empty store; `history` is how many events of each resource it remembers. */
export function createStore(history: number, observe: Observe = () => {}) {
  const collections = new Map<string, Collection>();
  let version = 1;
  let compacted = 0;

  const collectionOf = (name: string): Collection => {
    let collection = collections.get(name);
    if (!collection) {
      collection = createCollection(history, compacted);
      collections.set(name, collection);
    }
    return collection;
  };

  return {
    /** The resourceVersion of the last write: one counter for all resources. */
    get version() {
      return version;
    },
    get: (name: string, key: string) => collections.get(name)?.get(key),

    /**
     * The objects whose key begins with `prefix`, in the order of their keys, as they were at version `at`.
     * `undefined` when that moment is forgotten.
     */
    list(name: string, prefix: string, at = version) {
      const collection = collectionOf(name);
      if (at < collection.history.horizon) return undefined;
      return listAt(collection, prefix, at);
    },

    /**
     * Writes a new version. The object is frozen and gets its resourceVersion; callers hand over an object of their
     * own.
     */
    put(name: string, key: string, object: KubernetesObject) {
      const collection = collectionOf(name);
      const previous = collection.get(key);
      const current = storedAs(key, ++version, object);
      const event: StoreEvent = previous ? { type: "MODIFIED", current, previous } : { type: "ADDED", current };
      collection.apply(event);
      observe(name, event);
      return current;
    },

    /** Takes an object away; `object` is its last state. */
    remove(name: string, key: string, object: KubernetesObject) {
      const collection = collectionOf(name);
      const previous = collection.get(key);
      if (!previous) throw new Error(`There is no ${key} in ${name} to remove.`);
      const current = storedAs(key, ++version, object);
      const event: StoreEvent = { type: "DELETED", current, previous };
      collection.apply(event);
      observe(name, event);
      return current;
    },

    /**
     * Calls `listener` with each event after version `from`, first with those already known. Answers how to stop, or
     * `undefined` when some of them are forgotten.
     */
    watch(name: string, from: number, listener: (event: StoreEvent) => void) {
      const collection = collectionOf(name);
      if (from < collection.history.horizon) return undefined;
      for (const event of collection.history.after(from)) listener(event);
      // A function of its own for each watch, which may begin in the future.
      const own = (event: StoreEvent) => {
        if (event.current.version > from) listener(event);
      };
      collection.listeners.add(own);
      return () => void collection.listeners.delete(own);
    },

    /** Everything in a collection up to this version is forgotten. */
    horizon: (name: string) => collectionOf(name).history.horizon,
    /** Forgets the past of one collection: older watches and continue tokens answer 410. */
    forget: (name: string) => collectionOf(name).history.forget(version),
    /** Forgets the past of all, as etcd's compaction does. */
    compact() {
      compacted = version;
      for (const collection of collections.values()) collection.history.forget(version);
    },
  };
}

/** Undoes what happened since: the state before the first later event of a key is its state at `at`. */
function listAt(collection: Collection, prefix: string, at: number): Stored[] {
  const before = new Map<string, Stored | undefined>();
  for (const { current, previous } of collection.history.after(at)) {
    if (!before.has(current.key)) before.set(current.key, previous);
  }
  const { keys } = collection;
  const found: Stored[] = [];
  for (let index = lowerBound(keys, prefix); index < keys.length; index++) {
    const key = keys[index]!;
    if (!key.startsWith(prefix)) break;
    const stored = before.has(key) ? before.get(key) : collection.get(key);
    before.delete(key);
    if (stored) found.push(stored);
  }
  const gone = [...before.values()].filter((stored) => stored?.key.startsWith(prefix)) as Stored[];
  if (gone.length === 0) return found;
  return [...found, ...gone].sort((left, right) => (left.key < right.key ? -1 : 1));
}
