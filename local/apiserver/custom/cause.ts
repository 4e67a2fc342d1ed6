import type { ErrorObject } from "ajv";
import { type Cause, invalidValue, requiredValue } from "../validation/status-cause.ts";

const reasons: Readonly<Record<string, string>> = {
  enum: "FieldValueNotSupported",
  format: "FieldValueTypeInvalid",
  maxLength: "FieldValueTooLong",
  type: "FieldValueTypeInvalid",
};

/** A validator's error with the reason that the API server gives it, in the validator's own words. */
export function causeOf({ keyword, instancePath, params, data, message = "" }: ErrorObject): Cause {
  const field = fieldPath(instancePath);
  if (keyword === "required") return requiredValue(`${field ? `${field}.` : ""}${params.missingProperty}`);
  const allowed = keyword === "enum" ? `: ${params.allowedValues.map(String).join(", ")}` : "";
  return { ...invalidValue(field, data, message + allowed), reason: reasons[keyword] ?? "FieldValueInvalid" };
}

/** `/spec/parts/0/name` as `spec.parts[0].name`; a key of a map that is a number looks like an index. */
const fieldPath = (pointer: string) =>
  pointer
    .replaceAll(/\/(\d+)(?=\/|$)/g, "[$1]")
    .replaceAll("/", ".")
    .replace(/^\./, "")
    .replaceAll("~1", "/")
    .replaceAll("~0", "~");
