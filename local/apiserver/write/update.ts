import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { modified } from "../failure.ts";
import { collectionOf } from "../kinds/table.ts";
import type { Resource } from "../resource.ts";
import type { State } from "../state.ts";
import { type Stored, storedAs } from "../store/stored.ts";

/** Stores a new version of `live`; the write that takes the last finalizer of a dying object deletes it. */
export function updateObject(state: State, resource: Resource, live: Stored, next: KubernetesObject): Stored {
  const { metadata } = next;
  if (metadata.resourceVersion && metadata.resourceVersion !== String(live.version)) {
    throw modified(resource, metadata.name);
  }
  metadata.uid = live.object.metadata.uid;
  if (live.object.metadata.creationTimestamp) metadata.creationTimestamp = live.object.metadata.creationTimestamp;
  if (metadata.finalizers?.length === 0) delete metadata.finalizers;
  if (metadata.deletionTimestamp && !metadata.finalizers) {
    state.store.remove(collectionOf(resource), live.key, next);
    return storedAs(live.key, live.version, structuredClone(next));
  }
  return state.store.put(collectionOf(resource), live.key, next);
}
