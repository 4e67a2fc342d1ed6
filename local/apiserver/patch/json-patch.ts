import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { applyJsonPatch, JsonPatchError } from "../../../shared/kubernetes/json-patch.ts";
import { StatusError } from "../status-error.ts";
import { copyOf } from "./copy.ts";
import { goTypeOf } from "./go-type.ts";

/**
 * Applies a JSON Patch the way the API server does and returns the patched object; the target is not touched.
 *
 * A patch that is no array of operations is refused with 400, one that cannot be applied, a failed `test` included,
 * with 422: reason `Invalid`, the server's one message for all of them, and empty details without causes.
 */
export function jsonPatch(target: Fields, operations: unknown): Fields {
  if (operations === null) return target;
  if (!Array.isArray(operations)) throw undecodable(operations, "Go value of type []handlers.jsonPatchOp");
  if (operations.length > maximumOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${maximumOperations}, got ${operations.length}`;
    throw new StatusError(413, "RequestEntityTooLarge", message);
  }
  const patched = applied(copyOf(target), operations.map(decode));
  if (!isFields(patched)) throw refused();
  return patched;
}

const maximumOperations = 10_000;

function applied(target: Fields, operations: readonly Fields[]): unknown {
  try {
    return applyJsonPatch(target, operations);
  } catch (error) {
    throw error instanceof JsonPatchError ? refused() : error;
  }
}

function decode(operation: unknown): Fields {
  if (operation === null) return {};
  if (!isFields(operation)) throw undecodable(operation, "Go value of type handlers.jsonPatchOp");
  for (const member of ["op", "path", "from"]) {
    const value = operation[member] ?? "";
    if (typeof value !== "string") throw undecodable(value, `Go struct field jsonPatchOp.${member} of type string`);
  }
  return operation;
}

const refused = () =>
  new StatusError(422, "Invalid", "the server rejected our request due to an error in our request", {});

const undecodable = (value: unknown, into: string) =>
  new StatusError(400, "BadRequest", `error decoding patch: json: cannot unmarshal ${goTypeOf(value)} into ${into}`);
