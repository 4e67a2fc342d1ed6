import { type Fields, fieldOf, isFields, setField } from "../../../shared/kubernetes/fields.ts";
import { badRequest } from "../failure.ts";
import { copyOf } from "./copy.ts";

/**
 * Applies a JSON Merge Patch (RFC 7386) and returns the patched object; the target is not touched. Arrays are replaced
 * whole, `null` removes. A patch that is no object is refused with the 400 of the API server.
 */
export function mergePatch(target: Fields, patch: unknown): Fields {
  if (!isFields(patch)) throw badRequest("error decoding patch: it is no object");
  return copyOf(merge(target, patch)) as Fields;
}

function merge(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const result: Fields = isFields(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else setField(result, key, merge(fieldOf(result, key), value));
  }
  return result;
}
