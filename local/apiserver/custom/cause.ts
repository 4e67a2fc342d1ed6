import type { ErrorObject } from "ajv";
import { isFields } from "../../../shared/kubernetes/fields.ts";
import { type Cause, invalidValue, requiredValue, tooLongValue, unsupportedValue } from "../validation/status-cause.ts";

/** A validator's error as the API server words it. `object` is what was validated. */
export function causeOf({ keyword, instancePath, params, data, parentSchema }: ErrorObject, object: unknown): Cause {
  const field = fieldPath(instancePath, object);
  const invalid = (why: string, value: unknown = data) => invalidValue(field, value, `${field} in body ${why}`);
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
    case "maxItems":
    case "maxProperties":
      return tooMany(field, Object.keys(data as object).length, limit ?? 0);
    case "minLength":
      return invalid(`should be at least ${limit} chars long`);
    case "minItems":
      return invalid(`should have at least ${limit} items`, (data as unknown[]).length);
    case "minProperties":
      return invalid(`should have at least ${limit} properties`, Object.keys(data as object).length);
    case "minimum":
      return invalid(`should be greater than or equal to ${limit}`);
    case "maximum":
      return invalid(`should be less than or equal to ${limit}`);
    case "exclusiveMinimum":
      return invalid(`should be greater than ${limit}`);
    case "exclusiveMaximum":
      return invalid(`should be less than ${limit}`);
    case "multipleOf":
      return invalid(`should be a multiple of ${params.multipleOf}`);
    case "pattern":
      return invalid(`should match '${params.pattern}'`);
    case "oneOf":
      return alternative(field, `must validate one and only one schema (oneOf). ${found(params.passingSchemas)}`);
    case "anyOf":
      return alternative(field, "must validate at least one schema (anyOf)");
    case "not":
      return alternative(field, "must not validate the schema (not)");
    default:
      return invalid(`does not satisfy ${keyword} ${JSON.stringify(parentSchema?.[keyword])}`);
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

const tooMany = (field: string, count: number, limit: number): Cause => ({
  reason: "FieldValueTooMany",
  message: `Too many: ${count}: must have at most ${limit} items`,
  field,
});

const alternative = (field: string, why: string): Cause => invalidValue("<nil>", "", `${JSON.stringify(field)} ${why}`);

const found = (passing: unknown) =>
  Array.isArray(passing) ? `Found ${passing.length} valid alternatives` : "Found none valid";

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
