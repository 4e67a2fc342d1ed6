import { type Fields, isFields, setField } from "../../../shared/kubernetes/fields.ts";
import type { Schema } from "../schema/schema.ts";
import { memberType } from "../schema/type.ts";

/** A custom resource as its schema holds it, with the paths of what it does not have, in order. */
export interface Pruned {
  readonly object: Fields;
  readonly unknown: string[];
}

/**
 * Drops what the schema of a custom resource does not specify. Where it says `x-kubernetes-preserve-unknown-fields` the
 * rest stays; `apiVersion`, `kind` and `metadata` of the object and of embedded resources always stay.
 */
export function pruneCustom(schema: Schema, object: Fields): Pruned {
  const unknown: string[] = [];
  const pruned = pruneFields({ ...schema, "x-kubernetes-embedded-resource": true }, object, "", unknown);
  return { object: pruned, unknown: unknown.sort() };
}

const header = new Set(["apiVersion", "kind", "metadata"]);

function prune(schema: Schema, value: unknown, path: string, unknown: string[]): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item, index) => prune(items, item, `${path}[${index}]`, unknown)) : value;
  }
  return isFields(value) ? pruneFields(schema, value, path, unknown) : value;
}

function pruneFields(schema: Schema, fields: Fields, path: string, unknown: string[]): Fields {
  const open = schema["x-kubernetes-preserve-unknown-fields"] || schema.additionalProperties === true;
  const kept: Fields = {};
  for (const [name, value] of Object.entries(fields)) {
    const deeper = path ? `${path}.${name}` : name;
    const type = memberType(schema, name);
    if (schema["x-kubernetes-embedded-resource"] && header.has(name)) setField(kept, name, value);
    else if (type) setField(kept, name, prune(type, value, deeper, unknown));
    else if (open) setField(kept, name, value);
    else unknown.push(deeper);
  }
  return kept;
}
