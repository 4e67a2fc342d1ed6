import { groupOf, type Kind } from "../../../shared/kubernetes/kind.ts";
import { remember } from "../remember.ts";
import { atomicTypes, keyDefaults, mergeRules } from "./list-types.ts";
import { type Attribute, attributesOf } from "./model.ts";
import type { Schema } from "./schema.ts";

const refPrefix = "#/components/schemas/";
const modelPattern = /^([A-Z]\w*?)??(V\d+(?:(?:alpha|beta)\d+)?)([A-Z]\w*)$/;

/** The name under which a model's schema is published: `V1PodSpec` becomes `io.k8s.v1.PodSpec`. */
function definitionName(model: string): string {
  const [, group, version = "", name] = modelPattern.exec(model) ?? [];
  return ["io.k8s", group?.toLowerCase(), version.toLowerCase(), name ?? model].filter(Boolean).join(".");
}

function modelName(definition: string): string {
  return definition
    .split(".")
    .slice(2)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");
}

/** The definition that describes a built-in kind; `undefined` when client-node does not know the kind. */
export function definitionOf(kind: Kind): string | undefined {
  const version = kind.apiVersion.split("/").at(-1) ?? "";
  const group = groupOf(kind).split(".")[0] || "core";
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const plain = `${capital(version)}${kind.kind}`;
  const model = [plain, `${capital(group)}${plain}`].find((candidate) => attributesOf(candidate));
  return model && definitionName(model);
}

/** A reference to a definition, as other schemas hold it. */
export const refTo = (definition: string): Schema => ({ $ref: `${refPrefix}${definition}` });

/** The definition a schema refers to; `undefined` when it is no reference. */
export const referredBy = (schema: Schema): string | undefined =>
  (schema.$ref ?? schema.allOf?.[0]?.$ref)?.slice(refPrefix.length);

/** The schema of a definition, with references to others and without prose. */
export const schemaOf = remember((definition: string) => build(modelName(definition)), new Map());

/** Readers of OpenAPI v3 ignore what stands beside a reference, so a reference that says more is wrapped. */
function wrapped(schema: Schema): Schema {
  const { $ref, ...rest } = schema;
  return $ref && Object.keys(rest).length ? { allOf: [{ $ref }], ...rest } : schema;
}

function build(model: string): Schema {
  const name = modelPattern.exec(model)?.[3] ?? model;
  const properties = (attributesOf(model) ?? []).map((attribute): [string, Schema] => {
    const { baseName } = attribute;
    const fallback = keyDefaults[name]?.[baseName];
    const schema = { ...schemaOfType(attribute), ...mergeRules[name]?.[baseName] };
    return [baseName, wrapped(fallback === undefined ? schema : { ...schema, default: fallback })];
  });
  return {
    type: "object",
    ...(properties.length ? { properties: Object.fromEntries(properties) } : {}),
    ...(atomicTypes.has(name) ? { "x-kubernetes-map-type": "atomic" as const } : {}),
  };
}

const scalars: Record<string, Schema> = {
  string: { type: "string" },
  boolean: { type: "boolean" },
  number: { type: "integer" },
  Date: { type: "string", format: "date-time" },
  V1MicroTime: { type: "string", format: "date-time" },
  IntOrString: { oneOf: [{ type: "integer" }, { type: "string" }], format: "int-or-string" },
  any: { "x-kubernetes-preserve-unknown-fields": true },
};

function schemaOfType({ type, format }: Pick<Attribute, "type" | "format">): Schema {
  const item = /^Array<(.*)>$/.exec(type)?.[1];
  if (item) return { type: "array", items: schemaOfType({ type: item, format }) };
  const value = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
  if (value) return { type: "object", additionalProperties: schemaOfType({ type: value, format }) };
  const scalar = scalars[type];
  if (!scalar) return refTo(definitionName(type));
  if (!format || scalar.format) return scalar;
  return { ...scalar, ...(format === "double" ? { type: "number" } : {}), format };
}
