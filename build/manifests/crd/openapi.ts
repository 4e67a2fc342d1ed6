import { type ZodType, z } from "zod";

/** A schema of a CustomResourceDefinition: OpenAPI 3.0 as far as structural schemas have it. */
export type StructuralSchema = Record<string, unknown>;

/**
 * The structural schema of what a zod schema takes in. What stands in its `.meta()` under `x-kubernetes-…` is carried
 * over, such as CEL rules in `x-kubernetes-validations` and list types. A loose object keeps unknown fields,
 * `z.unknown()` anything.
 *
 * @throws Error when something cannot be said in a structural schema: unions other than of enums or of a number and a
 * string, patterns that RE2 does not know, transforms.
 */
export function structuralSchema(schema: ZodType): StructuralSchema {
  // What was reused is written out, because structural schemas know no references.
  const { $schema: _, ...openapi } = z.toJSONSchema(schema, { target: "openapi-3.0", io: "input", reused: "inline" });
  return structural(openapi, "");
}

function structural(given: StructuralSchema, path: string): StructuralSchema {
  const { anyOf, oneOf, allOf, const: value, propertyNames: _, $ref, ...own } = given;
  if ($ref || allOf) throw new Error(`${path || "The root"} refers to another schema, which no structural schema can.`);
  const alternatives = (anyOf ?? oneOf) as StructuralSchema[] | undefined;
  if (alternatives) return { ...own, ...united(alternatives, path) };
  const schema: StructuralSchema = { ...own, ...(value === undefined ? {} : { enum: [value] }) };
  if (schema.type === "integer") setInteger(schema);
  if (typeof schema.pattern === "string") setPattern(schema, schema.pattern, path);
  if (!schema.type && !schema.enum) return { ...schema, ...unknownFields };
  if (schema.type === "array") schema.items = structural((schema.items ?? {}) as StructuralSchema, `${path}[]`);
  return schema.type === "object" ? objectSchema(schema, path) : schema;
}

const unknownFields = { "x-kubernetes-preserve-unknown-fields": true };

function objectSchema({ properties, additionalProperties, ...rest }: StructuralSchema, path: string): StructuralSchema {
  const more = additionalProperties as StructuralSchema | boolean | undefined;
  const isOpen = more === true || (typeof more === "object" && Object.keys(more).length === 0);
  const named = Object.entries((properties ?? {}) as Record<string, StructuralSchema>);
  if (named.length === 0) {
    if (isOpen) return { ...rest, ...unknownFields };
    // A map: what its keys are called is not said.
    return typeof more === "object" ? { ...rest, additionalProperties: structural(more, `${path}.*`) } : rest;
  }
  return {
    ...rest,
    ...(isOpen ? unknownFields : {}),
    properties: Object.fromEntries(named.map(([name, part]) => [name, structural(part, `${path}.${name}`)])),
  };
}

/** Enums of one type become one; a number or a string is a type of its own in Kubernetes. */
function united(alternatives: readonly StructuralSchema[], path: string): StructuralSchema {
  const parts = alternatives.map((part) => structural(part, path));
  const types = [...new Set(parts.map(({ type }) => type))];
  if (types.length === 1 && parts.every((part) => Array.isArray(part.enum)))
    return { type: types[0], enum: [...new Set(parts.flatMap((part) => part.enum as unknown[]))] };
  const isNumber = types.includes("integer") || types.includes("number");
  if (types.length === 2 && isNumber && types.includes("string")) return { "x-kubernetes-int-or-string": true };
  throw new Error(`${path || "The root"} is a union that no structural schema can say.`);
}

/** zod bounds whole numbers by what JavaScript can count; that is no wish of the schema's. */
function setInteger(schema: StructuralSchema): void {
  schema.format = "int64";
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function setPattern(schema: StructuralSchema, pattern: string, path: string): void {
  // The API server checks the format by itself.
  if (schema.format === "date-time") delete schema.pattern;
  else if (/\(\?[=!<]/.test(pattern))
    throw new Error(`${path}: the pattern ${pattern} looks around, which RE2 does not.`);
}
