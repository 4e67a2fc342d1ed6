import { castLike, toBoolean, toInteger, toText } from "./cast.ts";
import { type BinaryOperator, CesqlError, type Expression, type Value } from "./expression.ts";
import { call } from "./functions.ts";

/**
 * Evaluates an expression against the attributes of an event, all of them strings as they come over HTTP. Stops at the
 * first error, as Knative's engine does: throws a {@link CesqlError}, for example of kind `missingAttribute`.
 */
export function evaluate(expression: Expression, attributes: Readonly<Record<string, string>>): Value {
  switch (expression.node) {
    case "literal":
      return expression.value;
    case "attribute": {
      const value = Object.hasOwn(attributes, expression.name) ? attributes[expression.name] : undefined;
      if (value === undefined) throw new CesqlError("missingAttribute", `The event has no ${expression.name}.`);
      return value;
    }
    case "exists":
      return Object.hasOwn(attributes, expression.name);
    case "not":
      return !toBoolean(evaluate(expression.operand, attributes));
    case "negate":
      return -toInteger(evaluate(expression.operand, attributes)) | 0;
    case "like":
      return expression.pattern.test(toText(evaluate(expression.operand, attributes)));
    case "in": {
      const value = evaluate(expression.operand, attributes);
      return expression.set.some((item) => castLike(evaluate(item, attributes), value) === value);
    }
    case "call":
      return call(
        expression.name,
        expression.arguments.map((argument) => evaluate(argument, attributes)),
      );
    case "binary":
      return binary(
        expression.operator,
        () => evaluate(expression.left, attributes),
        () => evaluate(expression.right, attributes),
      );
  }
}

function binary(operator: BinaryOperator, left: () => Value, right: () => Value): Value {
  switch (operator) {
    case "AND":
      return toBoolean(left()) && toBoolean(right());
    case "OR":
      return toBoolean(left()) || toBoolean(right());
    case "XOR":
      return toBoolean(left()) !== toBoolean(right());
    case "=":
    case "!=": {
      // The right operand decides the type, so that `sequence = 10` compares integers.
      const first = left();
      const second = right();
      return (castLike(first, second) === second) === (operator === "=");
    }
    default:
      return arithmetic(operator, left(), right());
  }
}

/** Wraps at 32 bits; division truncates towards zero. */
function arithmetic(
  operator: Exclude<BinaryOperator, "AND" | "OR" | "XOR" | "=" | "!=">,
  left: Value,
  right: Value,
): Value {
  const x = toInteger(left);
  const y = toInteger(right);
  switch (operator) {
    case "<":
      return x < y;
    case "<=":
      return x <= y;
    case ">":
      return x > y;
    case ">=":
      return x >= y;
    case "+":
      return (x + y) | 0;
    case "-":
      return (x - y) | 0;
    case "*":
      return Math.imul(x, y);
    case "/":
    case "%":
      if (y === 0) throw new CesqlError("math", "Division by zero.");
      return operator === "/" ? (x / y) | 0 : (x % y) | 0;
  }
}
