import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { attributesOf } from "../auth/attributes.ts";
import { authorize } from "../auth/authorize.ts";
import { conflict, notFound } from "../failure.ts";
import { collectionOf } from "../kinds/resource-table.ts";
import { strategyOf } from "../kinds/strategies.ts";
import type { Answer } from "../request/answer.ts";
import { readObject } from "../request/body.ts";
import { type Call, keyOf, type ObjectCall } from "../request/call.ts";
import type { State } from "../state.ts";
import type { Stored } from "../store/stored.ts";
import { createObject } from "../write/create-object.ts";
import { updateObject } from "../write/update-object.ts";
import { checkNames, takeNamespace } from "./check-names.ts";

/** PUT of an object or of its status. A few kinds are created by it when they do not exist. */
export function update(state: State, call: ObjectCall): Answer {
  const { resource, name, namespace, subresource } = call;
  const object = readObject(call, resource);
  checkNames(call, object);
  const live = state.store.get(collectionOf(resource), keyOf(resource, namespace, name));
  if (live) {
    checkUid(call, live, object);
    return { type: "stored", status: 200, resource, stored: updateObject(state, call, live, object) };
  }
  if (subresource || !strategyOf(resource).createOnUpdate) throw notFound(resource, name);
  authorize(state, call.user, attributesOf("create", call));
  return { type: "stored", status: 201, resource, stored: createObject(state, call, object) };
}

/** An update that says a uid is meant for that incarnation only. Throws 409. */
export function checkUid({ resource, name }: ObjectCall, live: Stored, { metadata }: KubernetesObject): void {
  const { uid } = live.object.metadata;
  if (!metadata.uid || metadata.uid === uid) return;
  const why =
    `StorageError: invalid object, Code: 4, Key: /registry/${resource.plural}/${live.key}, ResourceVersion: 0, ` +
    `AdditionalErrorMsg: Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${uid}`;
  throw conflict(resource, name, why);
}

/** POST to a collection. */
export function create(state: State, call: Call): Answer {
  const { resource, namespace } = call;
  const object = readObject(call, resource);
  takeNamespace(namespace, object.metadata);
  return { type: "stored", status: 201, resource, stored: createObject(state, call, object) };
}
