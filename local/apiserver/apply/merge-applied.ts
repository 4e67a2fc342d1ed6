import { type Fields, isFields, setField } from "../../../shared/kubernetes/fields.ts";
import type { Schema } from "../schema/schema.ts";
import { memberType, resolve } from "../schema/type.ts";
import { isGranular, partsOf } from "./element.ts";

/** Merges an applied configuration into a live object: what it names wins, what it does not name stays. */
export function mergeApplied(live: unknown, applied: unknown, schema: Schema): unknown {
  if (applied === undefined) return live;
  if (!isGranular(live, schema) || !isGranular(applied, schema)) return applied;
  if (isFields(live) && isFields(applied)) return mergeMembers(live, applied, schema);
  if (Array.isArray(live) && Array.isArray(applied)) return mergeItems(live, applied, schema);
  return applied;
}

function mergeMembers(live: Fields, applied: Fields, schema: Schema): Fields {
  const merged = { ...live };
  for (const [name, value] of Object.entries(applied)) {
    const type = resolve(memberType(schema, name) ?? {});
    setField(merged, name, Object.hasOwn(live, name) ? mergeApplied(live[name], value, type) : value);
  }
  return merged;
}

/**
 * Elements that both have take the order of the applied list; what only one of the lists has stays between its
 * neighbours there, and where both have such elements the live ones come first.
 */
function mergeItems(live: unknown[], applied: unknown[], schema: Schema): unknown[] {
  const [old, fresh] = [partsOf(live, schema), partsOf(applied, schema)];
  const left = [...old.keys()];
  const merged: unknown[] = [];
  for (const [element, part] of fresh) {
    const counterpart = old.get(element);
    const until = counterpart && left.includes(element) ? left.indexOf(element) : left.findIndex((e) => fresh.has(e));
    const passed = left.splice(0, until < 0 ? left.length : until);
    for (const other of passed) if (!fresh.has(other)) merged.push(old.get(other)?.value);
    if (left[0] === element) left.shift();
    merged.push(counterpart ? mergeApplied(counterpart.value, part.value, part.schema) : part.value);
  }
  for (const other of left) if (!fresh.has(other)) merged.push(old.get(other)?.value);
  return merged;
}
