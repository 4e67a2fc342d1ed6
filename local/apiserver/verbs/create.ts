import type { Answer } from "../request/answer.ts";
import { readObject } from "../request/body.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";
import { createObject } from "../write/create-object.ts";
import { takeNamespace } from "./check-names.ts";

/** POST to a collection. */
export function create(state: State, call: Call): Answer {
  const { resource, namespace } = call;
  const object = readObject(call, resource);
  takeNamespace(namespace, object.metadata);
  return { type: "stored", status: 201, resource, stored: createObject(state, call, object) };
}
