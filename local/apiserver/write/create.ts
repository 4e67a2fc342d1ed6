import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { alreadyExists } from "../failure.ts";
import { collectionOf } from "../kinds/table.ts";
import { keyOf } from "../request/call.ts";
import type { Resource } from "../resource.ts";
import { type State, timestamp } from "../state.ts";
import type { Stored } from "../store/stored.ts";

/** Stores a new object. What a client may not choose (uid, creation, deletion) is set here. */
export function createObject(state: State, resource: Resource, object: KubernetesObject): Stored {
  const { metadata } = object;
  const key = keyOf(resource, metadata.namespace, metadata.name);
  const collection = collectionOf(resource);
  if (state.store.get(collection, key)) throw alreadyExists(resource, metadata.name);
  metadata.uid = state.random.uuid();
  metadata.creationTimestamp = timestamp(state);
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  return state.store.put(collection, key, object);
}
