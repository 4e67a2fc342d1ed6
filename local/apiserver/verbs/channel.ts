// A real server ends the watch of a client that does not keep up, too; the client goes on from the last version it saw.
const mostWaiting = 64 * 1024 * 1024;

/**
 * Text that is written now and read later by one reader. Calls `closed` once when it ends or its reader leaves. What
 * waits to be read is handed over in one piece.
 */
export function createChannel(closed: () => void) {
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
    write(text: string) {
      if (ended) return;
      waiting += text;
      if (waiting.length > mostWaiting) stop();
      trigger?.();
    },
    /** Lets the reader have what was written, then ends. */
    end: stop,
    [Symbol.asyncIterator]: () => iterator,
  };
}
