import { fieldsAt, objectsIn } from "../kinds/fields.ts";
import { type Fields, fieldOf, isFields } from "../patch/value.ts";

/** Whether labels are selected by a `LabelSelector` object; an empty or absent one selects everything. */
export function selects(selector: unknown, labels: Fields): boolean {
  if (!isFields(selector)) return true;
  const equal = Object.entries(fieldsAt(selector, "matchLabels"));
  return (
    equal.every(([key, value]) => fieldOf(labels, key) === value) &&
    objectsIn(selector, "matchExpressions").every((expression) => meets(expression, labels))
  );
}

function meets({ key, operator, values }: Fields, labels: Fields): boolean {
  const value = fieldOf(labels, String(key));
  const listed = Array.isArray(values) && values.includes(value);
  if (operator === "In") return value !== undefined && listed;
  if (operator === "NotIn") return !listed;
  return operator === "Exists" ? value !== undefined : value === undefined;
}
