import type { Clock } from "../../shared/clock.ts";
import type { WatchOptions } from "./watch.ts";

/** How long one watch may last. To be disposed of when it has ended. */
export interface WatchLimit extends Disposable {
  readonly options: Pick<WatchOptions, "timeoutSeconds"> & { readonly signal: AbortSignal };
}

/**
 * Asks the server to end a watch after the tools' `watchSeconds`, as every client of Kubernetes does, and ends it 10 s
 * later where the server is not heard of: a connection that died on the way looks like a watch in which nothing
 * happens. Without `watchSeconds` it ends with the tools' signal only, and needs no timer.
 */
export function limitWatch({ clock, signal, watchSeconds }: Limits): WatchLimit {
  if (!watchSeconds) return { options: { signal }, [Symbol.dispose]: () => {} };
  const late = new AbortController();
  const callOff = clock.after((watchSeconds + 10) * 1000, () => late.abort());
  return {
    options: { timeoutSeconds: watchSeconds, signal: AbortSignal.any([signal, late.signal]) },
    [Symbol.dispose]: callOff,
  };
}

interface Limits {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly watchSeconds?: number | undefined;
}
