/** One field that is wrong, as it appears in `details.causes` of a 422. */
export interface Cause {
  /** `FieldValueRequired`, `FieldValueInvalid`, `FieldValueForbidden`, `FieldValueNotSupported`, ... */
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

export const invalidValue = (field: string, value: unknown, why: string): Cause => ({
  reason: "FieldValueInvalid",
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});

export const requiredValue = (field: string, why?: string): Cause => ({
  reason: "FieldValueRequired",
  message: why ? `Required value: ${why}` : "Required value",
  field,
});

export const forbiddenValue = (field: string, why: string): Cause => ({
  reason: "FieldValueForbidden",
  message: `Forbidden: ${why}`,
  field,
});

export const unsupportedValue = (field: string, value: unknown, supported: readonly string[]): Cause => ({
  reason: "FieldValueNotSupported",
  message:
    `Unsupported value: ${JSON.stringify(value)}: supported values: ` +
    `${supported.map((one) => JSON.stringify(one)).join(", ")}`,
  field,
});

export const tooLongValue = (field: string, limit: number): Cause => ({
  reason: "FieldValueTooLong",
  message: `Too long: may not be more than ${limit} bytes`,
  field,
});
