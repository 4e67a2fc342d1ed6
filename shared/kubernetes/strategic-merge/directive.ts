import { isFields } from "../fields.ts";

/** `$deleteFromPrimitiveList/<field>`: values to take out of a list of scalars. */
export const deleteFrom = "$deleteFromPrimitiveList/";
/** `$setElementOrder/<field>`: the order the elements of a list are to have. */
export const elementOrder = "$setElementOrder/";
/** `$retainKeys`: the members an object may keep. */
export const retainKeys = "$retainKeys";

/** Whether a member of a patch says what to do instead of what to set. */
export function isDirective(key: string): boolean {
  return key === retainKeys || key.startsWith(elementOrder) || key.startsWith(deleteFrom);
}

/**
 * What is new in an object comes without the nulls and directives that only say what is to go; an object with a
 * `$patch` does not come at all, also if it holds other members.
 */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !hasPatch(item)).map(withoutNulls);
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, member]) => member !== null && !isDirective(key) && !hasPatch(member),
  );
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutNulls(member)]));
}

/** Whether a value is an object with a `$patch` directive. */
export const hasPatch = (value: unknown) => isFields(value) && Object.hasOwn(value, "$patch");

/**
 * A patch that is not applied: `unappliable` by the API server's library, which answers a 500 without a reason, or
 * `refused` before.
 */
export class StrategicMergeError extends Error {
  override readonly name = "StrategicMergeError";
  readonly why: "unappliable" | "refused";

  constructor(message: string, why: "unappliable" | "refused" = "unappliable") {
    super(message);
    this.why = why;
  }
}

/** The value of a directive that must be a list. */
export function listIn(directive: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  const type = value === null ? "null" : typeof value;
  throw new StrategicMergeError(`${directive}: expected a []interface {}, but received a ${type}`);
}

/** A `$patch` that is none of the known ones. */
export const unknownDirective = (directive: unknown, patch: unknown) =>
  new StrategicMergeError(`unknown patch type: ${String(directive)} in map: ${JSON.stringify(patch)}`);
