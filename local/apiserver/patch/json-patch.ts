import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { applyJsonPatch, JsonPatchError } from "../../../shared/kubernetes/json-patch.ts";
import { badRequest } from "../failure.ts";
import { StatusError } from "../status-error.ts";
import { copyOf } from "./copy.ts";

/**
 * Applies a JSON Patch the way the API server does and returns the patched object; the target is not touched.
 *
 * A patch that is no array of operations is refused with 400, one that cannot be applied, a failed `test` included,
 * with 422: reason `Invalid`, the server's one message for all of them, and empty details without causes.
 */
export function jsonPatch(target: Fields, operations: unknown): Fields {
  if (operations === null) return target;
  if (!Array.isArray(operations)) throw undecodable("it is no list of operations");
  const patched = applied(copyOf(target), operations.map(decode));
  if (!isFields(patched)) throw refused();
  return patched;
}

function applied(target: Fields, operations: readonly Fields[]): unknown {
  try {
    return applyJsonPatch(target, operations);
  } catch (error) {
    throw error instanceof JsonPatchError ? refused() : error;
  }
}

function decode(operation: unknown): Fields {
  if (operation === null) return {};
  if (!isFields(operation)) throw undecodable("an operation is no object");
  const wrong = ["op", "path", "from"].find((member) => typeof (operation[member] ?? "") !== "string");
  if (wrong) throw undecodable(`${wrong} is no text`);
  return operation;
}

const refused = () =>
  new StatusError(422, "Invalid", "the server rejected our request due to an error in our request", {});

const undecodable = (why: string) => badRequest(`error decoding patch: ${why}`);
