/** The types of CESQL: strings, booleans and 32-bit signed integers. */
export type Value = string | number | boolean;

/** A parsed CloudEvents SQL expression. */
export type Expression =
  | { node: "literal"; value: Value }
  | { node: "attribute"; name: string }
  | { node: "exists"; name: string }
  | { node: "not"; operand: Expression }
  | { node: "negate"; operand: Expression }
  | { node: "binary"; operator: BinaryOperator; left: Expression; right: Expression }
  | { node: "like"; operand: Expression; pattern: RegExp }
  | { node: "in"; operand: Expression; set: Expression[] }
  | { node: "call"; name: string; arguments: Expression[] };

export type BinaryOperator = "AND" | "OR" | "XOR" | "=" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "/" | "%";

/** What CESQL 1.0 calls the classes of its errors. */
export type CesqlErrorKind = "parse" | "math" | "cast" | "missingAttribute" | "missingFunction" | "functionEvaluation";

/** An expression that cannot be read or evaluated; as a filter it lets nothing pass. */
export class CesqlError extends Error {
  override readonly name = "CesqlError";
  readonly kind: CesqlErrorKind;

  constructor(kind: CesqlErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
