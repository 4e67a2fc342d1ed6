import { isFields } from "../../../shared/kubernetes/fields.ts";
import type { Schema } from "../schema/schema.ts";
import type { Cause } from "../validation/status-cause.ts";
import { walkTyped } from "./walk.ts";

/** Elements that stand twice in a set, or twice under the same keys in a list map. */
export function duplicates(schema: Schema, value: unknown): Cause[] {
  const causes: Cause[] = [];
  walkTyped(schema, value, (type, list, path) => {
    const keys = type["x-kubernetes-list-map-keys"];
    const kind = type["x-kubernetes-list-type"];
    if (!Array.isArray(list) || (kind !== "set" && kind !== "map")) return;
    const seen = new Set<string>();
    for (const [index, item] of list.entries()) {
      const identity = kind === "map" && keys && isFields(item) ? pick(item, keys) : item;
      const text = JSON.stringify(identity);
      if (seen.has(text)) causes.push(duplicate(`${path}[${index}]`, text));
      seen.add(text);
    }
  });
  return causes;
}

const duplicate = (field: string, value: string): Cause => ({
  reason: "FieldValueDuplicate",
  message: `Duplicate value: ${value}`,
  field,
});

const pick = (fields: Record<string, unknown>, keys: readonly string[]) =>
  Object.fromEntries(keys.filter((key) => Object.hasOwn(fields, key)).map((key) => [key, fields[key]]));
