import type { Attributes } from "../event/cloud-event.ts";
import { lookup } from "./lookup.ts";

/** One entry of a Trigger's `filters`: exactly one dialect. */
export type FilterSpec =
  | { exact: Record<string, string> }
  | { prefix: Record<string, string> }
  | { suffix: Record<string, string> }
  | { all: FilterSpec[] }
  | { any: FilterSpec[] }
  | { not: FilterSpec };

/** Decides from the attributes of an event alone; filters never see the data. */
export type Filter = (attributes: Attributes) => boolean;

/** Compiles the entries of `filters`, all of which must pass; none lets everything pass. */
export function compileFilters(specs: readonly FilterSpec[]): Filter {
  const filters = specs.map(compile);
  const only = filters[0];
  return filters.length === 1 && only ? only : (attributes) => filters.every((filter) => filter(attributes));
}

/**
 * Compiles `filter.attributes`: equality of each, where the empty string stands for any value but an empty or missing
 * one.
 */
export function compileAttributes(attributes: Readonly<Record<string, string>>): Filter {
  return each(attributes, (value, wanted) => (wanted === "" ? value !== "" : value === wanted));
}

function compile(spec: FilterSpec): Filter {
  if ("exact" in spec) return each(spec.exact, (value, wanted) => value === wanted);
  if ("prefix" in spec) return each(spec.prefix, (value, prefix) => value.startsWith(prefix));
  if ("suffix" in spec) return each(spec.suffix, (value, suffix) => value.endsWith(suffix));
  if ("all" in spec) return compileFilters(spec.all);
  if ("any" in spec) {
    const filters = spec.any.map(compile);
    return (attributes) => filters.some((filter) => filter(attributes));
  }
  const filter = compile(spec.not);
  return (attributes) => !filter(attributes);
}

function each(entries: Readonly<Record<string, string>>, test: (value: string, operand: string) => boolean): Filter {
  const pairs = Object.entries(entries);
  return (attributes) =>
    pairs.every(([name, operand]) => {
      const value = lookup(attributes, name);
      return value !== undefined && test(value, operand);
    });
}
