import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { fieldsAt, objectsIn } from "../kinds/fields.ts";

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
