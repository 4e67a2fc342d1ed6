import { CesqlError, type Value } from "./expression.ts";

/** Any value as a string; always defined. */
export const toText = (value: Value): string => String(value);

/**
 * A value as a 32-bit integer: decimal strings with an optional sign, true as 1, false as 0; throws a cast error
 * otherwise.
 */
export function toInteger(value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  const number = /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= -(2 ** 31) && number <= 2 ** 31 - 1)) {
    throw new CesqlError("cast", `${JSON.stringify(value)} is no 32-bit integer.`);
  }
  return number;
}

/**
 * A value as a boolean: the words true and false in any case, 0 as false, other integers as true; throws a cast error
 * otherwise.
 */
export function toBoolean(value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return value !== 0;
  const word = value.toLowerCase();
  if (word === "true") return true;
  if (word === "false") return false;
  throw new CesqlError("cast", `${JSON.stringify(value)} is no boolean.`);
}

/** Casts `value` to the type that `like` has. */
export function castLike(value: Value, like: Value): Value {
  if (typeof like === "number") return toInteger(value);
  return typeof like === "boolean" ? toBoolean(value) : toText(value);
}
