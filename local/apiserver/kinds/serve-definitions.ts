import { isDeepStrictEqual } from "node:util";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { definitionStatus, resourcesOf } from "../custom/definition.ts";
import { copyOf } from "../patch/copy.ts";
import { type State, timestamp } from "../state.ts";
import type { Stored } from "../store/stored.ts";
import { deleteObject } from "../write/delete-object.ts";
import { definitionStrategy } from "./definition-strategy.ts";
import { specOf } from "./fields.ts";

/** Where the store keeps CustomResourceDefinitions. */
export const definitions = "apiextensions.k8s.io/customresourcedefinitions";
const cleanup = definitionStrategy.deletionFinalizer ?? "";

/**
 * What a controller does for CustomResourceDefinitions in a real cluster, done here at once: accepts names, serves what
 * is defined, and when a definition is deleted, deletes all of its kind before it.
 */
export function serveDefinitions(state: State): void {
  const ending = new Set<string>();
  state.store.watch(definitions, state.store.version, ({ type, current }) => {
    const { key, object } = current;
    if (type === "DELETED") {
      ending.delete(key);
      forget(state, current);
    } else if (!object.metadata.deletionTimestamp) accept(state, current);
    else if (!ending.has(key)) {
      ending.add(key);
      end(state, current);
    }
  });
}

/** What is no longer served is no longer watched. */
function forget({ resources, watches }: State, { key, object }: Stored): void {
  resources.define(key, []);
  const collection = collectionOfDefined(object);
  for (const [end, watched] of [...watches]) if (watched === collection) end();
}

function accept({ clock, resources, store }: State, { key, object }: Stored): void {
  const [first] = resourcesOf(object);
  // A kind's watch cache begins when the kind is first served: of what was before it can tell no watch anything.
  if (first && !resources.serves(first)) store.forget(collectionOfDefined(object));
  const status = definitionStatus(object, timestamp({ clock }));
  if (isDeepStrictEqual(status, object.status)) resources.define(key, resourcesOf(object));
  else store.put(definitions, key, copyOf({ ...object, status }));
}

/** Deletes everything of a kind; what finalizers hold keeps the definition until it is gone, too. */
function end(state: State, definition: Stored): void {
  const { store } = state;
  const { key, object } = definition;
  const collection = collectionOfDefined(object);
  const stop = store.watch(collection, store.version, () => finish());
  const finish = () => {
    if ((store.list(collection, "") ?? []).length > 0) return;
    stop?.();
    releaseDefinition(state, key);
  };
  const [resource] = resourcesOf(object);
  for (const instance of store.list(collection, "") ?? []) {
    if (resource) deleteObject(state, resource, instance, { dryRun: false });
  }
  finish();
}

function collectionOfDefined(definition: KubernetesObject): string {
  const { group, names } = specOf(definition) as { group: string; names: { plural: string } };
  return `${group}/${names.plural}`;
}

/** Takes our finalizer, and with the last finalizer the definition. */
function releaseDefinition({ store }: State, key: string): void {
  const live = store.get(definitions, key);
  if (!live?.object.metadata.finalizers?.includes(cleanup)) return;
  const next = copyOf(live.object);
  const finalizers = live.object.metadata.finalizers.filter((finalizer) => finalizer !== cleanup);
  next.metadata.finalizers = finalizers;
  if (finalizers.length > 0) store.put(definitions, key, next);
  else store.remove(definitions, key, copyOf(live.object));
}
