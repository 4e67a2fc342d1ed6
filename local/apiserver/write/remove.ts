import { settleDefinitions } from "../kinds/definition-life.ts";
import { collectionOf } from "../kinds/table.ts";
import type { Resource } from "../resource.ts";
import type { State } from "../state.ts";
import type { Stored } from "../store/stored.ts";

/** Takes an object out of the store. Watchers see its last stored state, under the resourceVersion of the removal. */
export function removeObject(state: State, resource: Resource, live: Stored): Stored {
  const removed = state.store.remove(collectionOf(resource), live.key, structuredClone(live.object));
  settleDefinitions(state, resource, removed);
  return removed;
}
