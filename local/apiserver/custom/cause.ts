import type { ErrorObject } from "ajv";
import { isFields } from "../../../shared/kubernetes/fields.ts";
import { type Cause, invalidValue, requiredValue, tooLongValue, unsupportedValue } from "../validation/status-cause.ts";

/**
 * A validator's error with the reason that the API server gives it. The words are the API server's where clients or
 * people look for them, and the validator's own for a limit or a pattern. `object` is what was validated.
 */
export function causeOf({ keyword, instancePath, params, data, message }: ErrorObject, object: unknown): Cause {
  const field = fieldPath(instancePath, object);
  const { limit } = params as { limit?: number };
  switch (keyword) {
    case "required":
      return requiredValue(field ? `${field}.${params.missingProperty}` : String(params.missingProperty));
    case "type":
      return wrongType(
        field,
        data,
        [params.type].flat().filter((type) => type !== "null"),
      );
    case "format":
      return typeInvalid(field, data, params.format);
    case "enum":
      return unsupportedValue(field, data, params.allowedValues.map(String));
    case "maxLength":
      return tooLongValue(field, limit ?? 0);
    default:
      return invalidValue(field, data, `${field} in body ${message}`);
  }
}

function wrongType(field: string, data: unknown, types: string[]): Cause {
  const type = types.join(",");
  const given = typeName(data);
  return invalidType(field, given, `must be of type ${type}: ${JSON.stringify(given)}`);
}

const typeInvalid = (field: string, data: unknown, format: string): Cause =>
  invalidType(field, data, `must be of type ${format}: ${JSON.stringify(data)}`);

const invalidType = (field: string, value: unknown, why: string): Cause => ({
  ...invalidValue(field, value, `${field} in body ${why}`),
  reason: "FieldValueTypeInvalid",
});

/** The name of a JSON value's type, integers apart from other numbers. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** `/spec/parts/0/name` as `spec.parts[0].name`. */
function fieldPath(pointer: string, object: unknown): string {
  let path = "";
  let at = object;
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) {
      path += `[${key}]`;
      at = at[Number(key)];
    } else {
      path += path ? `.${key}` : key;
      at = isFields(at) ? at[key] : undefined;
    }
  }
  return path;
}
