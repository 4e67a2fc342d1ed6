import { meets, type Requirement } from "./requirement.ts";

export type Labels = Readonly<Record<string, string>>;

/** `metav1.LabelSelector`. */
export interface LabelSelector {
  readonly matchLabels?: Labels | undefined;
  readonly matchExpressions?: readonly Requirement[] | undefined;
}

/** Whether labels satisfy a selector; an empty one is satisfied by all. */
export function matchesLabelSelector(
  { matchLabels, matchExpressions = [] }: LabelSelector,
  labels: Labels = {},
): boolean {
  return hasLabels(matchLabels, labels) && matchExpressions.every((requirement) => meetsLabels(requirement, labels));
}

/** Whether labels have each of these with just that value; none wanted is met by all. */
export function hasLabels(wanted: Labels | undefined, labels: Labels = {}): boolean {
  return Object.entries(wanted ?? {}).every(([key, value]) => labelOf(labels, key) === value);
}

/** Whether labels meet one requirement. */
export const meetsLabels = (requirement: Requirement, labels: Labels): boolean =>
  meets(requirement, labelOf(labels, requirement.key));

const labelOf = (labels: Labels, key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
