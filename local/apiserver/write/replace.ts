import { isDeepStrictEqual } from "node:util";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { collectionOf } from "../kinds/resource-table.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";
import { type Stored, storedAs } from "../store/stored.ts";

/** Stores `next` in the place of `live` as the server itself does, unchecked. A write that changes nothing is none. */
export function replaceObject(state: State, { resource, dryRun }: Call, live: Stored, next: KubernetesObject): Stored {
  next.metadata.resourceVersion = String(live.version);
  if (isDeepStrictEqual(next, live.object)) return live;
  if (dryRun) return storedAs(live.key, live.version, next);
  return state.store.put(collectionOf(resource), live.key, next);
}
