import { type Fields, isFields, setField } from "../../../shared/kubernetes/fields.ts";
import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import { goTypeOf } from "../patch/go-type.ts";
import { remember } from "../remember.ts";
import type { Resource } from "../resource.ts";
import { referredBy } from "../schema/builtin-schemas.ts";
import type { Schema } from "../schema/schema.ts";
import { memberType, resolve, typeOf } from "../schema/type.ts";

/** A value has a type that its field cannot hold. The message is that of Go's JSON decoder. */
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
 * throws {@link TypeMismatch}. Of a custom resource only the metadata is typed so; its schema is applied elsewhere. An
 * object whose type is not known here stays as it is.
 */
export function conform(resource: Resource, object: Fields): Conformed {
  const unknown: string[] = [];
  const type = typeOf(resource);
  if (!type) return { object, unknown };
  const root: Place = { struct: resource.kind, path: "", unknown };
  if (!resource.custom) return { object: struct(object, resolve(type), root), unknown };
  const metadata = object.metadata;
  const metadataType = memberType(type, "metadata") ?? {};
  const place = { ...root, path: "metadata" };
  return { object: { ...object, ...(metadata ? { metadata: value(metadata, metadataType, place) } : {}) }, unknown };
}

interface Place {
  /** The type that has the field. */
  readonly struct: string;
  /** Where the value stands, without indices: `spec.containers.image`. */
  readonly path: string;
  readonly unknown: string[];
  /** The same with indices, as unknown fields are named. */
  readonly exact?: string;
}

const join = (path: string, name: string) => (path ? `${path}.${name}` : name);
/** The name of the type that a schema refers to: `Quantity`, `PodSpec`. */
const nameOf = remember((schema: Schema) => referredBy(schema)?.split(".").at(-1));

function value(given: unknown, schema: Schema, place: Place): unknown {
  const name = schema.allOf || schema.$ref ? nameOf(schema) : undefined;
  if (schema["x-kubernetes-preserve-unknown-fields"] || name === "RawExtension") return given;
  const type = resolve(schema);
  if (name === "IntOrString") {
    if (typeof given === "string" || Number.isInteger(given)) return given;
    throw mismatch(given, schema, place);
  }
  // A number is read as well: `storage: 1`.
  if (name === "Quantity") {
    if (typeof given === "string") return quantity(given);
    if (typeof given === "number") return String(given);
    throw mismatch(given, schema, place);
  }
  switch (type.type) {
    case "array": {
      if (!Array.isArray(given)) throw mismatch(given, schema, place);
      const items = type.items ?? {};
      return given.map((item, index) => {
        const exact = `${place.exact ?? place.path}[${index}]`;
        return item === null ? item : value(item, items, { ...place, exact });
      });
    }
    case "object":
      if (!isFields(given)) throw mismatch(given, schema, place);
      if (type.additionalProperties) return map(given, type.additionalProperties, place);
      // A type without fields of its own holds anything, as a raw extension does.
      if (!type.properties) return given;
      return struct(given, type, { ...place, struct: name ?? place.struct });
    case "string":
      if (typeof given === "string")
        return type.format === "date-time" ? timestamp(given, name === "MicroTime") : given;
      throw mismatch(given, schema, place);
    case "boolean":
      if (typeof given === "boolean") return given;
      throw mismatch(given, schema, place);
    case "integer":
      if (Number.isInteger(given)) return given;
      throw mismatch(given, schema, place);
    case "number":
      if (typeof given === "number") return given;
      throw mismatch(given, schema, place);
  }
  return given;
}

function struct(given: Fields, type: Schema, place: Place): Fields {
  const result: Fields = {};
  for (const [name, member] of Object.entries(given)) {
    const schema = type.properties && Object.hasOwn(type.properties, name) ? type.properties[name] : undefined;
    const exact = join(place.exact ?? place.path, name);
    if (!schema) place.unknown.push(exact);
    else if (member !== null) {
      setField(result, name, value(member, schema, { ...place, path: join(place.path, name), exact }));
    }
  }
  return result;
}

function map(given: Fields, values: Schema | true, place: Place): Fields {
  if (values === true) return given;
  const result: Fields = {};
  for (const [key, member] of Object.entries(given)) {
    // Go has the zero value where JSON has null; of strings that is the empty one.
    if (member !== null) setField(result, key, value(member, values, place));
    else if (values.type === "string") setField(result, key, "");
  }
  return result;
}

const quantityForm = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;

function quantity(text: string): string {
  if (!Number.isNaN(quantityValue(text))) return text.trim();
  if (quantityForm.test(text)) throw new TypeMismatch("unable to parse quantity's suffix");
  throw new TypeMismatch(`quantities must match the regular expression '${quantityForm.source}'`);
}

/** MicroTime takes exactly six digits of a second, where Time takes any number and drops them. */
function timestamp(text: string, micro: boolean): string {
  const layout = micro ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00";
  const parts = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)$/.exec(text);
  const at = Date.parse(text);
  const refuse = (rest: string, part: string) =>
    new TypeMismatch(
      `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ` +
        `${JSON.stringify(part)}`,
    );
  if (!parts || Number.isNaN(at)) throw refuse(text, "2006");
  const [, fraction = "", zone = ""] = parts;
  const seconds = new Date(at).toISOString().slice(0, -5);
  if (!micro) return `${seconds}Z`;
  if (fraction.length < 7) throw refuse(fraction + zone, ".000000");
  if (fraction.length > 7) throw refuse(fraction.slice(7) + zone, "Z07:00");
  return `${seconds}${fraction}Z`;
}

function mismatch(given: unknown, schema: Schema, place: Place): TypeMismatch {
  const field = `${place.struct}.${place.path}`;
  return new TypeMismatch(
    `json: cannot unmarshal ${goTypeOf(given)} into Go struct field ${field} of type ${goType(schema)}`,
  );
}

function goType(schema: Schema): string {
  const name = referredBy(schema)?.split(".").slice(-2).join(".");
  if (name) return name;
  const { type, format, items, additionalProperties } = schema;
  if (type === "array") return `[]${goType(items ?? {})}`;
  if (typeof additionalProperties === "object") return `map[string]${goType(additionalProperties)}`;
  if (type === "integer") return format ?? "int64";
  if (type === "number") return "float64";
  return type === "boolean" ? "bool" : (type ?? "interface {}");
}
