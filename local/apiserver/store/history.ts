import type { StoreEvent } from "./store-event.ts";

/** The latest events of one collection, oldest first, for watches and for lists at an older version. */
export interface History {
  /** Everything up to this version is forgotten: what needs an event at or before it is answered 410. */
  readonly horizon: number;
  add(event: StoreEvent): void;
  /** The events after `version`, oldest first. */
  after(version: number): StoreEvent[];
  /** Forgets every event up to `version`. */
  forget(version: number): void;
}

/** A history of at most `limit` events. */
export function createHistory(limit: number, start: number): History {
  let events: StoreEvent[] = [];
  let first = 0;
  let horizon = start;

  // Dropping from the front of an array is linear, so the front only moves and is cut off when it is half of all.
  const drop = (count: number) => {
    first += count;
    if (first * 2 > events.length) {
      events = events.slice(first);
      first = 0;
    }
  };

  const indexAfter = (version: number) => {
    let low = first;
    let high = events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (events[middle]!.current.version <= version) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    get horizon() {
      return horizon;
    },
    add(event) {
      events.push(event);
      if (events.length - first <= limit) return;
      horizon = events[first]!.current.version;
      drop(1);
    },
    after: (version) => events.slice(indexAfter(version)),
    forget(version) {
      if (version <= horizon) return;
      horizon = version;
      drop(indexAfter(version) - first);
    },
  };
}
