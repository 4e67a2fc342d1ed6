import type { LabelRequirement } from "./storage.ts";

/** Whether labels satisfy a `metav1.LabelSelector`; an empty one is satisfied by all. */
export function matchesLabels(
  selector: { matchLabels?: { [label: string]: string }; matchExpressions?: LabelRequirement[] },
  labels: { readonly [label: string]: string } = {},
): boolean {
  return (
    Object.entries(selector.matchLabels ?? {}).every(([label, value]) => labels[label] === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(requirement, labels[requirement.key]))
  );
}

/** Whether the value of a label (or `undefined`) meets a requirement of a label selector or of a node selector. */
export function meets({ operator, values = [] }: LabelRequirement, value: string | undefined): boolean {
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
      return value !== undefined && Number(value) > Number(values[0]);
    case "Lt":
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}
