import { about } from "../../../shared/about.ts";
import type { Decision, Precondition, Step } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Namespace, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { nextProgress, progressKey, readProgress } from "../../../shared/progress.ts";
import { choosersOf, holdsField } from "../lib/field-managers.ts";
import { projectingRule as name, type Policy, policyKey, readPolicy } from "../lib/policy.ts";
import { type Fate, occasions, type RetentionPolicy, retentionOf, type StatefulSet } from "../lib/stateful-set.ts";
import { applyField } from "./apply-field.ts";
import type { SetAndPolicy } from "./look.ts";
import { fieldText, noteOf, says } from "./noted.ts";

/** How often a value that another manager sets back is applied. Then the field stays as that manager left it. */
const patience = 3;
/** A value that is set back later than this after it was applied counts as a change of its own. Milliseconds. */
const fightWindow = 3_600_000;

/** What is to be done about a set; nothing while it is being deleted, when Kubernetes looks at its field no more. */
export function decideSet({ set, policy }: SetAndPolicy, now: number): Decision | undefined {
  if (isBeingDeleted(set)) return undefined;
  return policy ? enforce(set, policy, now) : giveBack(set);
}

function enforce(set: StatefulSet, policy: Policy, now: number): Decision | undefined {
  const before = readProgress(set, name);
  if (before && says(before, noteOf(set, policy))) return asNoted(set, before.step);
  const current = retentionOf(set);
  const wanted = { whenDeleted: safer(set, policy, "whenDeleted"), whenScaled: safer(set, policy, "whenScaled") };
  if (fieldText(current) === fieldText(wanted)) return settle(set, policy, now);

  // No user changes the field and means the policy, so what was in force was taken back.
  const isTakenBack = before?.policy === policy.written && before.field === fieldText(wanted);
  const isGivenUp = before?.step === "taken-back" && before.policy === policy.written && before.from === policy.from;
  const isRecent = now - Date.parse(String(before?.applied)) < fightWindow;
  const attempt = isTakenBack && isRecent ? (before.attempt ?? 1) + 1 : 1;
  if (isGivenUp || attempt > patience) {
    // A set without the note that has its policy from the namespace looks like one without a policy.
    const again =
      policy.from === "set"
        ? `remove the annotation ${progressKey(name)}`
        : `name the policy by the annotation ${policyKey} of the set itself`;
    const message =
      `The persistentVolumeClaimRetentionPolicy of StatefulSet ${nameOf(set)} was made ${inFull(wanted)} ` +
      `${patience} times, and changed back each time. ${inFull(current)} is in force. Take the ` +
      `field out of what the other manager applies to the set. Then ${again}.`;
    const step = { name: "taken-back", attempt: patience, details: { ...noteOf(set, policy) } };
    return about(Sets, set).stop(message, { step });
  }
  const message =
    `StatefulSet ${nameOf(set)} gets persistentVolumeClaimRetentionPolicy ${inFull(wanted)}: ` +
    `${reason(set, policy, current, wanted)}`;
  const details = { ...noteOf(set, policy, wanted), applied: new Date(now).toISOString() };
  const step = { name: stepOf(set, policy, current), attempt, details };
  return about(Sets, set).write(message, [applyField(set, wanted)], { step, preconditions: whileNamed(set, policy) });
}

/**
 * That the namespace still names the policy which a set has from it. Asked before the write and behind it: the guard of
 * the set does not see a change of the namespace, and a look at a set that has no note yet would find nothing to undo.
 */
function whileNamed(set: StatefulSet, { from, written }: Policy): readonly Precondition[] {
  if (from !== "namespace") return [];
  const holds = (live: KubernetesObject | undefined) => readPolicy(set, live)?.written === written;
  return [{ kind: Namespace, namespace: undefined, name: set.metadata.namespace ?? "", holds }];
}

/** What the field is to say on an occasion: the more conservative of the policy and of what others have chosen. */
function safer(set: StatefulSet, policy: Policy, occasion: keyof RetentionPolicy): Fate {
  const isKept = retentionOf(set)[occasion] === "Retain" && choosersOf(set, occasion).length > 0;
  return isKept ? "Retain" : policy[occasion];
}

/** The field is what it is to be: that is written down, for people and for `set-owner`. */
function settle(set: StatefulSet, policy: Policy, now: number): Decision | undefined {
  const current = retentionOf(set);
  const step: Step = { name: stepOf(set, policy, current), details: { ...noteOf(set, policy) } };
  const message =
    `StatefulSet ${nameOf(set)} has persistentVolumeClaimRetentionPolicy ${inFull(current)}: ` +
    `${reason(set, policy, current, current)}`;
  if (nextProgress(set, name, step, message, now) === undefined) return asNoted(set, step.name);
  return about(Sets, set).wait(message, { step });
}

/** What a note warns of is still so. A person who asks is to hear that, and not that the set waits for nothing. */
function asNoted(set: StatefulSet, step: string): Decision | undefined {
  if (step === "in-force") return undefined;
  return about(Sets, set).write(`StatefulSet ${nameOf(set)} is as its note says.`, [], { progress: "unchanged" });
}

/** No policy any more: the field falls back to its default where it is ours, and at last the note goes. */
function giveBack(set: StatefulSet): Decision | undefined {
  const title = `StatefulSet ${nameOf(set)} has no policy any more`;
  if (occasions.some((one) => holdsField(set, one))) {
    const message = `${title}: Holdfast no longer owns its persistentVolumeClaimRetentionPolicy.`;
    return about(Sets, set).write(message, [applyField(set, undefined)], { step: { name: "given-back" } });
  }
  const message = `${title}, and nothing of its persistentVolumeClaimRetentionPolicy is ours.`;
  return set.metadata.annotations?.[progressKey(name)] === undefined ? undefined : about(Sets, set).leave(message);
}

function stepOf(set: StatefulSet, policy: Policy, current: RetentionPolicy): string {
  if (policy.fault) return "unreadable";
  return noteOf(set, policy, current).holders.length > 0 ? "held" : "in-force";
}

/** Why the field says what it says, and what to do where that is not what the policy asks for. */
function reason(set: StatefulSet, policy: Policy, current: RetentionPolicy, wanted: RetentionPolicy): string {
  if (policy.fault) return `${policy.fault} Until it is corrected, no claim of the set is deleted.`;
  const { holders } = noteOf(set, policy, current);
  const who = holders.join(", ");
  if (holders.length === 0) return `the policy of the ${policy.from} is ${policy.name}.`;
  const keeps = fieldText(wanted) !== fieldText(policy);
  return keeps
    ? `${who} keeps claims by it, which the policy ${policy.name} would delete. To have them deleted, ` +
        `take the field out of what ${who} applies.`
    : `the policy ${policy.name} keeps claims that ${who} had it delete. To have them deleted, ` +
        `change or remove the annotation ${policyKey}.`;
}

const nameOf = ({ metadata }: StatefulSet) => metadata.name;

const inFull = ({ whenDeleted, whenScaled }: RetentionPolicy) =>
  `{whenDeleted: ${whenDeleted}, whenScaled: ${whenScaled}}`;
