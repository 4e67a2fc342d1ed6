import { useSyncExternalStore } from "react";
import { relativeTime } from "./relative-time.ts";

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all times on the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, 10_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const read = () => now;

/** Milliseconds since the epoch; moves every ten seconds. */
export const useNow = (): number => useSyncExternalStore(subscribe, read, read);

/**
 * A time as people say it, with the exact one for a pointer and for screen readers, which do not read titles. `at` is
 * RFC 3339; an unreadable one is shown as it is.
 */
export function Age({ at }: { readonly at: string | undefined }) {
  const now = useNow();
  if (!at) return <>-</>;
  const time = Date.parse(at);
  if (Number.isNaN(time)) return <>{at}</>;
  return (
    <time dateTime={at} title={at}>
      {relativeTime(time, Math.max(now, Date.now()))}
      <span className="pf-v6-screen-reader"> ({at})</span>
    </time>
  );
}
