import { type Fields, setField } from "../../../shared/kubernetes/fields.ts";
import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import { remember } from "../remember.ts";
import type { Resource } from "../resource.ts";
import { referredBy } from "../schema/builtin-schemas.ts";
import { fitsType } from "../schema/fits.ts";
import type { Schema } from "../schema/schema.ts";
import { memberType, resolve, typeOf } from "../schema/type.ts";

/** A value has a type that its field cannot hold; the message names the field. */
export class TypeMismatch extends Error {
  override readonly name = "TypeMismatch";
}

/** An object as its type holds it, with the paths of the fields that the type does not have. */
export interface Conformed {
  readonly object: Fields;
  readonly unknown: string[];
}

/**
 * What decoding into a typed struct does to an object: unknown fields and nulls are dropped, a value of the wrong type
 * throws {@link TypeMismatch}. Of a custom resource only the metadata is typed so; its schema is applied elsewhere.
 */
export function conform(resource: Resource, object: Fields): Conformed {
  const unknown: string[] = [];
  const type = typeOf(resource);
  if (!resource.custom) return { object: struct(object, resolve(type), { path: "", unknown }), unknown };
  const { metadata } = object;
  const metadataType = memberType(type, "metadata") ?? {};
  const typed = metadata ? { metadata: value(metadata, metadataType, { path: "metadata", unknown }) } : {};
  return { object: { ...object, ...typed }, unknown };
}

interface Place {
  /** Where the value stands: `spec.containers[0].image`. */
  readonly path: string;
  readonly unknown: string[];
}

/** The name of the type that a schema refers to: `Quantity`, `PodSpec`. */
const nameOf = remember((schema: Schema) => referredBy(schema)?.split(".").at(-1));

function value(given: unknown, schema: Schema, place: Place): unknown {
  const name = schema.allOf || schema.$ref ? nameOf(schema) : undefined;
  if (schema["x-kubernetes-preserve-unknown-fields"] || name === "RawExtension") return given;
  const type = resolve(schema);
  const expected = name === "IntOrString" || name === "Quantity" ? name : (type.type ?? "");
  if (!fitsType(given, expected)) throw mismatch(given, expected, place);
  switch (expected) {
    case "Quantity":
      if (Number.isNaN(quantityValue(String(given)))) throw mismatch(given, expected, place);
      return String(given).trim();
    case "array":
      return (given as unknown[]).map((item, index) => {
        const path = `${place.path}[${index}]`;
        return item === null ? item : value(item, type.items ?? {}, { ...place, path });
      });
    case "object":
      if (type.additionalProperties) return map(given as Fields, type.additionalProperties, place);
      // A type without fields of its own holds anything, as a raw extension does.
      return type.properties ? struct(given as Fields, type, place) : given;
    case "string":
      return type.format === "date-time" ? timestamp(String(given), name ?? "", place) : given;
  }
  return given;
}

function struct(given: Fields, type: Schema, place: Place): Fields {
  const result: Fields = {};
  for (const [name, member] of Object.entries(given)) {
    const schema = type.properties && Object.hasOwn(type.properties, name) ? type.properties[name] : undefined;
    const path = place.path ? `${place.path}.${name}` : name;
    if (!schema) place.unknown.push(path);
    else if (member !== null) setField(result, name, value(member, schema, { ...place, path }));
  }
  return result;
}

function map(given: Fields, values: Schema | true, place: Place): Fields {
  if (values === true) return given;
  const result: Fields = {};
  for (const [key, member] of Object.entries(given)) {
    // Go has the zero value where JSON has null; of strings that is the empty one.
    if (member !== null) setField(result, key, value(member, values, { ...place, path: `${place.path}.${key}` }));
    else if (values.type === "string") setField(result, key, "");
  }
  return result;
}

/** MicroTime takes exactly six digits of a second, where Time takes any number and drops them. */
function timestamp(text: string, type: string, place: Place): string {
  const parts = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(?:Z|[-+]\d\d:\d\d)$/.exec(text);
  const at = parts ? Date.parse(text) : Number.NaN;
  const fraction = parts?.[1] ?? "";
  const isMicro = type === "MicroTime";
  if (Number.isNaN(at) || (isMicro && fraction.length !== 7)) throw mismatch(text, type, place);
  return `${new Date(at).toISOString().slice(0, -5)}${isMicro ? fraction : ""}Z`;
}

const mismatch = (given: unknown, type: string, { path }: Place) =>
  new TypeMismatch(`${path}: ${JSON.stringify(given)} is no ${type}`);
