import { z } from "zod";
import type { FilterSpec } from "../filter/filter.ts";

/** What Knative takes for the name of an attribute: a lower-case letter, then lower-case letters and digits. */
const attributeName = z
  .string()
  .regex(/^[a-z][a-z0-9]*$/, "the name of an attribute starts with a lower-case letter and has only these and digits");

/** `filter.attributes`: an empty value stands for any. */
export const attributesFilter = z.record(attributeName, z.string());

const operand = z.string().min(1, "must not be empty: Knative passes over such a filter; leave it out");
const operands = z.record(attributeName, operand).refine((map) => Object.keys(map).length > 0, "names no attribute");

const expression = z.undefined({
  error: "this stand-in for Knative evaluates no CESQL: write the filter with exact, prefix, suffix, all, any and not",
});

/** One entry of `filters`, with exactly one dialect. */
const filter: z.ZodType<FilterSpec> = z.lazy(() =>
  z
    .strictObject({
      exact: operands.optional(),
      prefix: operands.optional(),
      suffix: operands.optional(),
      all: z.array(filter).min(1).optional(),
      any: z.array(filter).min(1).optional(),
      not: filter.optional(),
      cesql: expression.optional(),
    })
    .refine((entry) => Object.values(entry).filter((dialect) => dialect !== undefined).length === 1, {
      error: "needs exactly one dialect",
    })
    .transform((entry) => entry as FilterSpec),
);

export const filters = z.array(filter);
