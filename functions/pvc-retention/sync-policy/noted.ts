import { type Progress, progressKey, readProgress } from "../../../shared/progress.ts";
import { choosersOf } from "../lib/field-managers.ts";
import { type Policy, policyKey, projectingRule, readPolicy } from "../lib/policy.ts";
import { occasions, type RetentionPolicy, retentionOf, type StatefulSet } from "../lib/stateful-set.ts";

/** What the rule writes down on a set: all that its verdict rests on, as far as an event of the set shows it. */
export interface Noted {
  /** What the annotation says. */
  readonly policy: string;
  /** Whose annotation names the policy. */
  readonly from: Policy["from"];
  /** What Kubernetes obeys, when the set is deleted and when it is scaled down: `Delete/Retain`. */
  readonly field: string;
  /** Who else has chosen what the field says, on occasions on which the policy says otherwise. */
  readonly holders: readonly string[];
}

/** What is to be written down of a set that has a policy, with the field as it is or as it will be. */
export function noteOf(set: StatefulSet, policy: Policy, field: RetentionPolicy = retentionOf(set)): Noted {
  const others = occasions.filter((one) => field[one] !== policy[one]).flatMap((one) => choosersOf(set, one));
  return { policy: policy.written, from: policy.from, field: fieldText(field), holders: [...new Set(others)] };
}

/** Whether the progress says this already. */
export function says(before: Progress | undefined, { policy, from, field, holders }: Noted): boolean {
  const said = before && [before.policy, before.from, before.field, before.holders];
  return JSON.stringify(said) === JSON.stringify([policy, from, field, holders]);
}

/**
 * Whether an update of a set may be of concern to the rule, by what the event shows. Most change the set's status
 * alone, and end here. What the namespace says, when it was last looked at, is in the note; when it says otherwise it
 * has an event of its own.
 */
export function concerns(set: StatefulSet): boolean {
  const before = readProgress(set, projectingRule);
  const own = readPolicy(set, undefined);
  // A tool that replaces a set drops the note. The policy may be the namespace's all the same, and keep what goes now.
  if (!before) return own !== undefined || occasions.some((one) => retentionOf(set)[one] === "Delete");
  if (own === undefined && before.from !== "namespace") return true;
  const ofNamespace = { metadata: { annotations: { [policyKey]: String(before.policy) } } };
  const policy = own ?? readPolicy(set, ofNamespace);
  return !policy || !says(before, noteOf(set, policy));
}

/** Whether Kubernetes deletes claims of a set by a field that the rule keeps: its note is on every such set. */
export function deletesByNote(set: StatefulSet): boolean {
  const noted = set.metadata.annotations?.[progressKey(projectingRule)] !== undefined;
  return noted && occasions.some((one) => retentionOf(set)[one] === "Delete");
}

/** `Delete/Retain`: when the set is deleted, and when it is scaled down. */
export const fieldText = ({ whenDeleted, whenScaled }: RetentionPolicy): string => `${whenDeleted}/${whenScaled}`;
