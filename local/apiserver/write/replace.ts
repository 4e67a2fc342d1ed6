import { isDeepStrictEqual } from "node:util";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { collectionOf } from "../kinds/resource-table.ts";
import { copyOf } from "../patch/copy.ts";
import type { Call } from "../request/call.ts";
import type { Resource } from "../resource.ts";
import type { State } from "../state.ts";
import { type Stored, storedAs } from "../store/stored.ts";

/** Stores `next` in the place of `live` as the server itself does, unchecked. A write that changes nothing is none. */
export function replaceObject(state: State, { resource, dryRun }: Call, live: Stored, next: KubernetesObject): Stored {
  next.metadata.resourceVersion = String(live.version);
  if (isDeepStrictEqual(next, live.object)) return live;
  if (dryRun) return storedAs(live.key, live.version, next);
  return state.store.put(collectionOf(resource), live.key, next);
}

/** Takes an object out of the store. Watchers see its last stored state, under the resourceVersion of the removal. */
export const removeObject = ({ store }: State, resource: Resource, live: Stored): Stored =>
  store.remove(collectionOf(resource), live.key, copyOf(live.object));
