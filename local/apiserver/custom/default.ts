import { type Fields, fieldOf, isFields, setField } from "../../../shared/kubernetes/fields.ts";
import { copyOf } from "../patch/copy.ts";
import type { Schema } from "../schema/schema.ts";
import { memberType } from "../schema/type.ts";

/**
 * Fills in the defaults of a custom resource's schema. Where a field is null and may not be, the null goes first.
 * Metadata has no defaults.
 */
export function defaultCustom(schema: Schema, object: Fields): Fields {
  const { metadata, ...rest } = object;
  const { metadata: _, ...properties } = schema.properties ?? {};
  const filled = fill({ ...schema, properties }, rest);
  return metadata === undefined ? (filled as Fields) : { ...(filled as Fields), metadata };
}

function fill(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => fill(items, item)) : value;
  }
  if (!isFields(value)) return value;
  const { properties = {} } = schema;
  const filled: Fields = {};
  for (const [name, member] of Object.entries(value)) {
    const type = memberType(schema, name);
    if (member !== null || !type || type.nullable) setField(filled, name, type ? fill(type, member) : member);
  }
  for (const [name, type] of Object.entries(properties)) {
    if (type.default === undefined || fieldOf(filled, name) !== undefined) continue;
    setField(filled, name, fill(type, copyOf(type.default)));
  }
  return filled;
}
