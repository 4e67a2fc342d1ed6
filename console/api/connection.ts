import { useSyncExternalStore } from "react";

/** What is out of date because no answer comes, by a name for people. */
let broken: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

/** Says of one stream whether it is up to date. */
export function setBroken(name: string, isBroken: boolean): void {
  if (broken.has(name) === isBroken) return;
  const next = new Set(broken);
  if (isBroken) next.add(name);
  else next.delete(name);
  broken = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** What on the page is out of date, and is being asked for again. */
export const useBroken = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => broken);
