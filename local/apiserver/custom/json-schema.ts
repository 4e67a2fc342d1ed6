import type { Schema } from "../schema/schema.ts";

const numeric = ["maximum", "multipleOf", "minimum"] as const;
const plain = [
  "enum",
  "maxItems",
  "maxLength",
  "maxProperties",
  "minItems",
  "minLength",
  "minProperties",
  "pattern",
] as const;
const formats = new Set(["byte", "date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"]);

/** What a structural schema demands of values, as a JSON Schema: OpenAPI v3 says some things differently. */
export function toJsonSchema(schema: Schema): Record<string, unknown> {
  const json: Record<string, unknown> = {};
  if (schema["x-kubernetes-int-or-string"]) json.type = ["integer", "string"];
  else if (schema.type) json.type = schema.type;
  if (schema.nullable && json.type) json.type = [json.type, "null"].flat();
  for (const keyword of [...numeric, ...plain]) if (schema[keyword] !== undefined) json[keyword] = schema[keyword];
  if (schema.format && formats.has(schema.format)) json.format = schema.format;

  if (schema.properties) json.properties = mapValues(schema.properties, toJsonSchema);
  if (schema.items) json.items = toJsonSchema(schema.items);
  if (typeof schema.additionalProperties === "object")
    json.additionalProperties = toJsonSchema(schema.additionalProperties);
  const embedded = schema["x-kubernetes-embedded-resource"] ? ["apiVersion", "kind"] : [];
  const required = [...new Set([...(schema.required ?? []), ...embedded])];
  if (required.length > 0) json.required = required;
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const alternatives = schema[keyword];
    if (Array.isArray(alternatives)) json[keyword] = alternatives.map(toJsonSchema);
  }
  if (schema.not) json.not = toJsonSchema(schema.not as Schema);
  return json;
}

const mapValues = <T, R>(fields: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]));
