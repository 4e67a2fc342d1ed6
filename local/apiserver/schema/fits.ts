import { isFields } from "../../../shared/kubernetes/fields.ts";

const fits: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isFields,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  IntOrString: (value) => typeof value === "string" || Number.isInteger(value),
  // A number is read as well: `storage: 1`.
  Quantity: (value) => typeof value === "string" || typeof value === "number",
};

/** Whether a JSON value is of a type that schemas name, or of one of the two that Kubernetes reads itself. */
export const fitsType = (value: unknown, type: string): boolean => fits[type]?.(value) ?? true;
