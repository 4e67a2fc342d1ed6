import type { Stored, StoreEvent } from "./stored.ts";

/** The objects of one resource, ordered by key as etcd orders them, with what happened to them lately. */
export type Collection = ReturnType<typeof createCollection>;

/** An empty collection that remembers its last `limit` events; events before version `horizon` are unknown to it. */
export function createCollection(limit: number, horizon: number) {
  const objects = new Map<string, Stored>();
  const keys: string[] = [];
  const history = createHistory(limit, horizon);
  const listeners = new Set<(event: StoreEvent) => void>();
  const pending: StoreEvent[] = [];

  // A listener may write. All listeners get this write after the one that caused it.
  function notify(event: StoreEvent): void {
    if (pending.push(event) > 1) return;
    try {
      for (let next = pending[0]; next; next = pending[0]) {
        for (const listener of [...listeners]) listener(next);
        pending.shift();
      }
    } finally {
      pending.length = 0;
    }
  }

  return {
    get: (key: string) => objects.get(key),
    /** Keys in order. */
    keys,
    history,
    listeners,
    apply(event: StoreEvent) {
      const { key } = event.current;
      if (event.type === "DELETED") {
        objects.delete(key);
        keys.splice(lowerBound(keys, key), 1);
      } else {
        if (!objects.has(key)) keys.splice(lowerBound(keys, key), 0, key);
        objects.set(key, event.current);
      }
      history.add(event);
      notify(event);
    },
  };
}

/** The index of the first key that is not before `key`. */
export function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A history of at most `limit` events. */
function createHistory(limit: number, start: number) {
  let events: StoreEvent[] = [];
  let horizon = start;

  // Most who ask have seen nearly all of it.
  const after = (version: number) =>
    events.slice(events.findLastIndex(({ current }) => current.version <= version) + 1);

  return {
    /** Everything up to this version is forgotten: what needs an event at or before it is answered 410. */
    get horizon() {
      return horizon;
    },
    add(event: StoreEvent) {
      events.push(event);
      if (events.length > limit) horizon = events.shift()?.current.version ?? horizon;
    },
    /** The events after `version`, oldest first. */
    after,
    /** Forgets every event up to `version`. */
    forget(version: number) {
      if (version <= horizon) return;
      horizon = version;
      events = after(version);
    },
  };
}
