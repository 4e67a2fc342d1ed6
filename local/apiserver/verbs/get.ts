import { notFound, tooLargeVersion } from "../failure.ts";
import { collectionOf } from "../kinds/resource-table.ts";
import type { Answer } from "../request/answer.ts";
import { type Call, keyOf, type ObjectCall } from "../request/call.ts";
import type { State } from "../state.ts";
import type { Stored } from "../store/stored.ts";

/** The live object that a call names, or 404. */
export function live(state: State, { resource, namespace, name }: ObjectCall): Stored {
  const stored = state.store.get(collectionOf(resource), keyOf(resource, namespace, name));
  if (!stored) throw notFound(resource, name);
  return stored;
}

/** GET of one object: always a consistent read, also if an older version would do. */
export function get(state: State, call: ObjectCall): Answer {
  const wanted = Number(call.query.get("resourceVersion") ?? 0);
  if (wanted > state.store.version) throw tooLargeVersion(wanted, state.store.version);
  return { type: "stored", status: 200, resource: call.resource, stored: live(state, call) };
}

/** The part of the store that a collection call is about. */
export function prefixOf({ resource, namespace }: Call): string {
  return resource.namespaced && namespace ? `${namespace}/` : "";
}
