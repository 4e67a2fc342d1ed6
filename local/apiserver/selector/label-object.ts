import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { fieldsAt, objectsIn } from "../kinds/fields.ts";

/** Whether a `LabelSelector` object, as specs hold it, selects labels. The empty one selects everything. */
export function selectsLabels(selector: Fields, labels: Readonly<Record<string, string>>): boolean {
  const wanted = Object.entries(fieldsAt(selector, "matchLabels"));
  if (wanted.some(([key, value]) => labels[key] !== value)) return false;
  return objectsIn(selector, "matchExpressions").every((expression) => matches(expression, labels));
}

function matches({ key, operator, values }: Fields, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[String(key)];
  const known = Array.isArray(values) && value !== undefined && values.includes(value);
  switch (operator) {
    case "In":
      return known;
    case "NotIn":
      return !known;
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
  }
  return false;
}

/** A `LabelSelector` object as the text that a `labelSelector` parameter takes. */
export function selectorText(selector: Fields): string {
  const equal = Object.entries(fieldsAt(selector, "matchLabels")).map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }));
  const expressions = objectsIn(selector, "matchExpressions").map(({ key, operator, values }) => {
    const list = Array.isArray(values) ? `(${[...values].sort().join(",")})` : "()";
    const forms: Record<string, string> = {
      In: `${key} in ${list}`,
      NotIn: `${key} notin ${list}`,
      Exists: `${key}`,
      DoesNotExist: `!${key}`,
    };
    return { key: String(key), text: forms[String(operator)] ?? "" };
  });
  return [...equal, ...expressions]
    .sort((left, right) => (left.key < right.key ? -1 : 1))
    .map(({ text }) => text)
    .join(",");
}
