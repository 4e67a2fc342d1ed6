import { useSyncExternalStore } from "react";

/** Why something is out of date: no answer comes, or it may be listed, but not watched. */
type Because = "away" | "unwatched";

/** What is out of date, by a name for people. */
let outdated: ReadonlyMap<string, Because> = new Map();
const listeners = new Set<() => void>();

/** Says of one kind why it is out of date; `undefined`: it is up to date. */
export function setOutdated(name: string, because: Because | undefined): void {
  if (outdated.get(name) === because) return;
  const next = new Map(outdated);
  if (because) next.set(name, because);
  else next.delete(name);
  outdated = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** What on the page is out of date now. */
export const whatIsOutdated = (): ReadonlyMap<string, Because> => outdated;

/** The same, wherever it changes. */
export const useOutdated = (): ReadonlyMap<string, Because> => useSyncExternalStore(subscribe, whatIsOutdated);
