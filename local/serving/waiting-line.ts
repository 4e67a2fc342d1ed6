interface Waiter<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** Those who wait for a `T`, first come, first served. */
export function createLine<T>() {
  const waiters = new Set<Waiter<T>>();
  return {
    get length() {
      return waiters.size;
    },
    /** Waits for a turn; rejects with the signal's reason as soon as `signal` aborts, and leaves the line. */
    join: (signal: AbortSignal) =>
      new Promise<T>((resolve, reject) => {
        const leave = () => waiter.reject(signal.reason);
        const waiter: Waiter<T> = { resolve: last(resolve), reject: last(reject) };
        waiters.add(waiter);
        signal.addEventListener("abort", leave, { once: true });
        function last<V>(settle: (value: V) => void): (value: V) => void {
          return (value) => {
            signal.removeEventListener("abort", leave);
            waiters.delete(waiter);
            settle(value);
          };
        }
      }),
    /** Gives the first one what it waited for. */
    serve(value: T) {
      for (const first of waiters) return first.resolve(value);
    },
    /** Sends all away. */
    refuse(error: Error) {
      for (const waiter of waiters) waiter.reject(error);
    },
  };
}
