import { isFields } from "../../../shared/kubernetes/fields.ts";
import type { Schema } from "../schema/schema.ts";
import { memberType } from "../schema/type.ts";

/** Visits every part of a value for which a schema has a type, the whole first, with its path as messages write it. */
export function walkTyped(
  schema: Schema,
  value: unknown,
  visit: (schema: Schema, value: unknown, path: string) => void,
  path = "",
): void {
  visit(schema, value, path);
  if (Array.isArray(value) && schema.items) {
    for (const [index, item] of value.entries()) walkTyped(schema.items, item, visit, `${path}[${index}]`);
  }
  if (!isFields(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const type = memberType(schema, name);
    if (type) walkTyped(type, member, visit, path ? `${path}.${name}` : name);
  }
}
