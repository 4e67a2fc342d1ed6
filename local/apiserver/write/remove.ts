import { collectionOf } from "../kinds/resource-table.ts";
import { copyOf } from "../patch/copy.ts";
import type { Resource } from "../resource.ts";
import type { State } from "../state.ts";
import type { Stored } from "../store/stored.ts";

/** Takes an object out of the store. Watchers see its last stored state, under the resourceVersion of the removal. */
export function removeObject({ store }: State, resource: Resource, live: Stored): Stored {
  return store.remove(collectionOf(resource), live.key, copyOf(live.object));
}
