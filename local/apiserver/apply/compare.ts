import { isDeepStrictEqual } from "node:util";
import { isFields } from "../../../shared/kubernetes/fields.ts";
import { referredBy } from "../schema/builtin-schemas.ts";
import type { Schema } from "../schema/schema.ts";
import { isGranular, partsOf, type Typed } from "./element.ts";
import { descend } from "./field-set.ts";

/** What changed between two states of an object, by path. */
export interface Comparison {
  readonly added: Set<string>;
  readonly modified: Set<string>;
  readonly removed: Set<string>;
}

/** Compares two states of an object of one type. What has no parts of its own is compared whole. */
export function compare(before: Typed, after: Typed): Comparison {
  const comparison: Comparison = { added: new Set(), modified: new Set(), removed: new Set() };
  walk(comparison, before.value, after.value, after.schema, "");
  return comparison;
}

function walk(into: Comparison, was: unknown, is: unknown, schema: Schema, path: string): void {
  // A struct that Go embeds by value is always there, and no manager owns it for itself.
  const blank = referredBy(schema) !== undefined && isFields(schema.default) ? {} : undefined;
  const [before, after] = [was ?? blank, is ?? blank];
  if (isDeepStrictEqual(before, after)) return;
  if (before === undefined) into.added.add(path);
  else if (after === undefined) into.removed.add(path);
  else if (!descends(before, after, schema)) into.modified.add(path);
  if (!descends(before, after, schema)) return;

  const old = partsIn(before, schema);
  const fresh = partsIn(after, schema);
  for (const element of new Set([...old.keys(), ...fresh.keys()])) {
    const part = fresh.get(element) ?? old.get(element);
    const deeper = descend(path, element);
    if (part) walk(into, old.get(element)?.value, fresh.get(element)?.value, part.schema, deeper);
  }
}

/** Two containers of one shape, or one and nothing, are compared part by part unless they are atomic or both empty. */
function descends(before: unknown, after: unknown, schema: Schema): boolean {
  const present = [before, after].filter((value) => value !== undefined && value !== null);
  const alike = present.every(Array.isArray) || present.every(isFields);
  return alike && present.some((value) => isGranular(value, schema) && Object.keys(value).length > 0);
}

const partsIn = (value: unknown, schema: Schema): Map<string, Typed> =>
  isGranular(value, schema) ? partsOf(value, schema) : new Map();
