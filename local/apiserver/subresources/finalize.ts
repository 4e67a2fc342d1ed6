import { notFound } from "../failure.ts";
import { objectIn, specOf } from "../kinds/fields.ts";
import { copyOf } from "../patch/copy.ts";
import type { Answer } from "../request/answer.ts";
import { readObject } from "../request/body.ts";
import type { ObjectCall } from "../request/call.ts";
import type { State } from "../state.ts";
import { checkNames } from "../verbs/check-names.ts";
import { live } from "../verbs/get.ts";
import { updateObject } from "../write/update-object.ts";

/**
 * PUT to `namespaces/finalize`: the only way to change `spec.finalizers`, and with the last of them the end of the
 * namespace.
 */
export function finalize(state: State, call: ObjectCall): Answer {
  const { resource, name } = call;
  if (resource.kind !== "Namespace") throw notFound(resource, name);
  const given = readObject(call, resource);
  checkNames(call, given);
  const before = live(state, call);
  const next = copyOf(before.object);
  const { resourceVersion } = given.metadata;
  if (resourceVersion) next.metadata.resourceVersion = resourceVersion;
  const { finalizers } = specOf(given);
  if (Array.isArray(finalizers) && finalizers.length > 0) objectIn(next, "spec").finalizers = finalizers;
  else delete objectIn(next, "spec").finalizers;
  return { type: "stored", status: 200, resource, stored: updateObject(state, call, before, next) };
}
