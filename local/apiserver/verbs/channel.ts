/** Text that is written now and read later by one reader. */
export interface Channel extends AsyncIterable<string> {
  write(text: string): void;
  /** Lets the reader have what was written, then ends. */
  end(): void;
}

// A real server ends the watch of a client that does not keep up, too; the client goes on from the last version it saw.
const mostWaiting = 64 * 1024 * 1024;

/**
 * A channel that calls `closed` once when it ends or its reader leaves. What waits to be read is handed over in one
 * piece.
 */
export function createChannel(closed: () => void): Channel {
  let waiting = "";
  let ended = false;
  let trigger: (() => void) | undefined;

  const stop = () => {
    if (ended) return;
    ended = true;
    closed();
    trigger?.();
  };
  const iterator: AsyncIterator<string> = {
    async next() {
      while (!waiting && !ended) {
        await new Promise<void>((resolve) => {
          trigger = resolve;
        });
      }
      if (!waiting) return { done: true, value: undefined };
      const value = waiting;
      waiting = "";
      return { done: false, value };
    },
    async return() {
      waiting = "";
      stop();
      return { done: true, value: undefined };
    },
  };
  return {
    write(text) {
      if (ended) return;
      waiting += text;
      if (waiting.length > mostWaiting) stop();
      trigger?.();
    },
    end: stop,
    [Symbol.asyncIterator]: () => iterator,
  };
}
