/** A JSON object. */
export type Fields = Record<string, unknown>;

/** Whether a JSON value is an object: neither an array nor null. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The own member of an object; a label may well be called `constructor` or `__proto__`. */
export const fieldOf = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);

/** Sets an own member, also one called `__proto__`, which an assignment would take for the prototype. */
export function setField(fields: Fields, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(fields, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    fields[key] = value;
  }
}
