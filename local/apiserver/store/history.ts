import type { StoreEvent } from "./store-event.ts";

/** A history of at most `limit` events. */
export function createHistory(limit: number, start: number) {
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
    /** Everything up to this version is forgotten: what needs an event at or before it is answered 410. */
    get horizon() {
      return horizon;
    },
    add(event: StoreEvent) {
      events.push(event);
      if (events.length - first <= limit) return;
      horizon = events[first]!.current.version;
      drop(1);
    },
    /** The events after `version`, oldest first. */
    after: (version: number) => events.slice(indexAfter(version)),
    /** Forgets every event up to `version`. */
    forget(version: number) {
      if (version <= horizon) return;
      horizon = version;
      drop(indexAfter(version) - first);
    },
  };
}
