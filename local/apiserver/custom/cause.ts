import type { ErrorObject } from "ajv";
import { isFields } from "../../../shared/kubernetes/fields.ts";
import { type Cause, invalidValue, requiredValue } from "../validation/status-cause.ts";

const reasons: Readonly<Record<string, string>> = {
  enum: "FieldValueNotSupported",
  format: "FieldValueTypeInvalid",
  maxLength: "FieldValueTooLong",
  type: "FieldValueTypeInvalid",
};

/**
 * A validator's error with the reason that the API server gives it, in the validator's own words. `object` is what was
 * validated.
 */
export function causeOf({ keyword, instancePath, params, data, message = "" }: ErrorObject, object: unknown): Cause {
  const field = fieldPath(instancePath, object);
  if (keyword === "required") return requiredValue(`${field ? `${field}.` : ""}${params.missingProperty}`);
  const allowed = keyword === "enum" ? `: ${params.allowedValues.map(String).join(", ")}` : "";
  return { ...invalidValue(field, data, message + allowed), reason: reasons[keyword] ?? "FieldValueInvalid" };
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
