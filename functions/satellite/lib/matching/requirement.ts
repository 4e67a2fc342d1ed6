/** A requirement of `core/v1.NodeSelectorRequirement`. */
export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

/**
 * Whether a value (or its absence) meets a requirement, as kube-scheduler has it: `NotIn` and `DoesNotExist` are met by
 * a label that is absent, `Gt` and `Lt` compare whole numbers and are met by nothing else, and an unknown operator is
 * met by nothing.
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
      return compares(value, values, (left, right) => left > right);
    case "Lt":
      return compares(value, values, (left, right) => left < right);
    default:
      return false;
  }
}

const integer = /^[+-]?\d+$/;

function compares(
  value: string | undefined,
  [bound, ...more]: readonly string[],
  is: (l: bigint, r: bigint) => boolean,
) {
  if (value === undefined || bound === undefined || more.length > 0) return false;
  return integer.test(value) && integer.test(bound) && is(toInteger(value), toInteger(bound));
}

const toInteger = (text: string) => BigInt(text.replace(/^\+/, ""));
