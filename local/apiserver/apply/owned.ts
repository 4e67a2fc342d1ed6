import { isFields } from "../../../shared/kubernetes/fields.ts";
import type { Schema } from "../schema/schema.ts";
import { isGranular, partsOf, type Typed } from "./element.ts";
import { descend, type FieldSet } from "./field-set.ts";

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
