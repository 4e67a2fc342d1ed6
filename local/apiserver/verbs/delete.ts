import { checkNamespaceDeletion } from "../admission/namespace-lifecycle.ts";
import { holdToPolicies } from "../admission/validating-policy.ts";
import { about } from "../failure.ts";
import { strategyOf } from "../kinds/strategies.ts";
import type { Answer } from "../request/answer.ts";
import type { Call, ObjectCall } from "../request/call.ts";
import { deleteOptions } from "../request/delete-options.ts";
import type { State } from "../state.ts";
import { deleteObject } from "../write/delete-object.ts";
import { live } from "./get.ts";
import { list } from "./list.ts";

/**
 * DELETE of one object. Answers the object where it still exists, and a Status where it is gone, but for kinds that
 * show it once more.
 */
export function remove(state: State, call: ObjectCall): Answer {
  const { resource, name } = call;
  const options = deleteOptions(call);
  checkNamespaceDeletion(call);
  const found = live(state, call);
  holdToPolicies(state, call, undefined, found.object);
  const { stored, gone } = deleteObject(state, resource, found, options);
  if (!gone || strategyOf(resource).answersDeleted) return { type: "stored", status: 200, resource, stored };
  const details = { ...about(resource, name), uid: stored.object.metadata.uid };
  return { type: "object", status: 200, object: success({ details }) };
}

/** DELETE of a collection: each selected object by itself. Answers what was found. */
export function removeCollection(state: State, call: Call): Answer {
  const options = deleteOptions(call);
  const found = list(state, call);
  for (const stored of found.items) {
    holdToPolicies(state, call, undefined, stored.object);
    deleteObject(state, call.resource, stored, options);
  }
  return { ...found, version: state.store.version };
}

/** A Status that says that all went well. */
export const success = (more: Record<string, unknown> = {}) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  ...more,
});
