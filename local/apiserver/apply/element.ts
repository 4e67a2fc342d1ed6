import { type Fields, fieldOf, isFields } from "../../../shared/kubernetes/fields.ts";
import type { Schema } from "../schema/schema.ts";
import { memberType, resolve } from "../schema/type.ts";
import { StatusError } from "../status-error.ts";
import { descend, type FieldSet, type PathElement } from "./field-set.ts";

/** A part of an object, with its resolved type as far as one is known. */
export interface Typed {
  readonly value: unknown;
  readonly schema: Schema;
}

/** Whether a value has parts that can belong to different managers. */
export function isGranular(value: unknown, schema: Schema): value is Fields | unknown[] {
  if (Array.isArray(value)) {
    const type = schema["x-kubernetes-list-type"] ?? "atomic";
    return type !== "atomic";
  }
  return isFields(value) && schema["x-kubernetes-map-type"] !== "atomic";
}

/** The parts of a granular value by their path elements, in the order they stand. */
export function partsOf(value: Fields | unknown[], schema: Schema): Map<PathElement, Typed> {
  const parts = new Map<PathElement, Typed>();
  if (!Array.isArray(value)) {
    for (const [name, member] of Object.entries(value)) {
      parts.set(`f:${name}`, { value: member, schema: resolve(memberType(schema, name) ?? {}) });
    }
    return parts;
  }
  const items = resolve(schema.items ?? {});
  for (const item of value) {
    const element = elementOf(item, schema, items);
    // Only what was stored before its type said set or map can hold an element twice; the first one counts.
    if (!parts.has(element)) parts.set(element, { value: item, schema: items });
  }
  return parts;
}

/** The path element of one item of a set or of a list map. */
export function elementOf(item: unknown, list: Schema, items: Schema): PathElement {
  const keys = list["x-kubernetes-list-map-keys"];
  if (list["x-kubernetes-list-type"] === "set" || !keys) return `v:${JSON.stringify(item)}`;
  if (!isFields(item)) throw new StatusError(400, "BadRequest", "an element of a list map must be an object");
  const named = [...keys].sort().map((key): [string, unknown] => {
    const fallback = items.properties?.[key]?.default ?? null;
    return [key, fieldOf(item, key) ?? fallback];
  });
  return `k:${JSON.stringify(Object.fromEntries(named))}`;
}

/** The paths that an applied configuration owns: its leaves, and every element of its sets and list maps. */
export function fieldsOf({ value, schema }: Typed): FieldSet {
  const set = new Set<string>();
  collect(set, value, schema, "");
  return set;
}

function collect(set: Set<string>, value: unknown, schema: Schema, path: string): void {
  if (!isGranular(value, schema)) {
    set.add(path);
    return;
  }
  for (const [element, part] of partsOf(value, schema)) {
    const deeper = descend(path, element);
    const empty = isFields(part.value) && Object.keys(part.value).length === 0;
    if (empty || Array.isArray(value) || !isDeclared(schema, element)) set.add(deeper);
    collect(set, part.value, part.schema, deeper);
  }
}

/** A member that the type names is owned through what it holds; a key of a free map is owned for itself. */
function isDeclared(schema: Schema, element: string): boolean {
  return schema.properties !== undefined && Object.hasOwn(schema.properties, element.slice(2));
}
