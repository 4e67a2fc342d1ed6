/** What all deliveries that brokers of one process have not ended may hold together, in bytes. */
const allDeliveries = 64 * 1024 * 1024;

/** The bytes of deliveries that have not ended. */
export interface Backlog {
  /** Counts bytes; `false` if there is no room, and then they do not count. */
  hold(bytes: number): boolean;
  /** Ends counting bytes that were held. */
  release(bytes: number): void;
}

/** An event takes at most half of what is left, so that the largest events cannot keep small ones out. */
export function createBacklog(limit = allDeliveries): Backlog {
  let left = limit;
  return {
    hold(bytes) {
      if (bytes > left / 2) return false;
      left -= bytes;
      return true;
    },
    release(bytes) {
      left += bytes;
    },
  };
}
