/** `metav1.LabelSelectorRequirement` and `core/v1.NodeSelectorRequirement`. */
export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

/**
 * Whether a value (or its absence) meets a requirement, as apimachinery's `labels.Requirement.Matches`: `NotIn` and
 * `DoesNotExist` are met by a label that is absent, `Gt` and `Lt` compare 64-bit integers and are met by nothing else,
 * and an unknown operator is met by nothing.
 */
export function meets({ operator, values = [] }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
    case "Lt": {
      const [left, right] = [readInteger(value), values.length === 1 ? readInteger(values[0]) : undefined];
      if (left === undefined || right === undefined) return false;
      return operator === "Gt" ? left > right : left < right;
    }
    default:
      return false;
  }
}

/** A 64-bit integer in decimal digits, as Go's `strconv.ParseInt` reads it; `undefined` for all else. */
export function readInteger(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return undefined;
  const integer = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, integer) === integer ? integer : undefined;
}
