import type { StoreEvent } from "./store-event.ts";

/** A history of at most `limit` events. */
export function createHistory(limit: number, start: number) {
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
