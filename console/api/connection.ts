import { useSyncExternalStore } from "react";
import { keyOf } from "./followed.ts";
import type { Selection } from "./list.ts";

/** A selection that is out of date. */
interface Outdated {
  /** For people: two selections may have the same. */
  readonly name: string;
  /** No answer comes, or it may be listed, but not watched. */
  readonly because: "away" | "unwatched";
}

let outdated: ReadonlyMap<string, Outdated> = new Map();
const listeners = new Set<() => void>();

/** Says of one selection why it is out of date; `undefined`: it is up to date. */
export function setOutdated(selection: Selection, because: Outdated["because"] | undefined): void {
  const key = JSON.stringify(keyOf(selection));
  if (outdated.get(key)?.because === because) return;
  const next = new Map(outdated);
  if (because) next.set(key, { name: selection.kind.plural, because });
  else next.delete(key);
  outdated = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** What on the page is out of date now, by selection. */
export const whatIsOutdated = (): ReadonlyMap<string, Outdated> => outdated;

/** The same, wherever it changes. */
export const useOutdated = (): ReadonlyMap<string, Outdated> => useSyncExternalStore(subscribe, whatIsOutdated);
