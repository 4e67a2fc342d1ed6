import { createRequire } from "node:module";
import { isFields } from "../../../shared/kubernetes/fields.ts";
import { remember } from "../remember.ts";
import { withoutMessages } from "./message-literal.ts";

/** A CEL expression that does not parse, or that came to no value. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
}

/** What objects are in CEL, for as long as none of them changes. */
export type Converted = Pick<WeakMap<object, unknown>, "get" | "set">;

/**
 * Evaluates a compiled expression over JSON values and returns a JSON value; throws {@link ExpressionError}. What is
 * `converted` is not converted once more.
 */
export type Evaluate = (variables: Readonly<Record<string, unknown>>, converted?: Converted) => unknown;

// CEL is loaded with the first expression; parsing one costs more than evaluating it, and there are few different ones.
const require = createRequire(import.meta.url);
const environments = new Map<boolean, import("@marcbachmann/cel-js").Environment>();

/**
 * Compiles a CEL expression of an admission policy; throws {@link ExpressionError}. As in Kubernetes, a list or map
 * that it writes has elements of one type, and the type of what an object has is not known.
 */
export const compile = remember((expression: string): Evaluate => {
  const text = withoutMessages(expression);
  // A message, which has become a map here, has fields of several types.
  return evaluating(text, text === expression);
}, new Map());

/** Compiles a CEL rule of a custom resource's schema, which says the types; throws {@link ExpressionError}. */
export const compileRule = remember((rule: string): Evaluate => evaluating(rule, false), new Map());

function evaluating(text: string, isUniform: boolean): Evaluate {
  const parsed = explained(() => cel(isUniform).parse(text));
  return (variables, converted = new WeakMap()) =>
    explained(() => fromCel(parsed(toCel(variables, converted) as Record<string, unknown>)));
}

function cel(homogeneousAggregateLiterals: boolean) {
  const known = environments.get(homogeneousAggregateLiterals);
  if (known) return known;
  const { Environment }: typeof import("@marcbachmann/cel-js") = require("@marcbachmann/cel-js");
  const made = new Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals,
  });
  environments.set(homogeneousAggregateLiterals, made);
  return made;
}

function explained<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    const [message] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    throw new ExpressionError(message, { cause });
  }
}

/** What is stored is frozen, and judged again with each write that follows. */
const stored: Converted = new WeakMap();

/** Whole numbers are integers in CEL, which the library takes for BigInts. */
function toCel(value: unknown, converted: Converted): unknown {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (!Array.isArray(value) && !isFields(value)) return value;
  const known = Object.isFrozen(value) ? stored : converted;
  let made = known.get(value);
  if (made === undefined) {
    made = Array.isArray(value)
      ? value.map((element) => toCel(element, converted))
      : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toCel(member, converted)]));
    known.set(value, made);
  }
  return made;
}

function fromCel(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(fromCel);
  if (value instanceof Map) return fromCel(Object.fromEntries(value));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fromCel(member)]));
}
