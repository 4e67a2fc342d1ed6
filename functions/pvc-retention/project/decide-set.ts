import type { Decision, Notice, Step } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import { nextProgress, progressKey, readProgress } from "../../../shared/progress.ts";
import { holdersOfDelete, holdsField } from "../../../shared/retention/field-managers.ts";
import { nativePolicy, type Policy, policyKey, writeDuration } from "../../../shared/retention/policy.ts";
import {
  describePolicy,
  projectingRule as name,
  type Projected,
  projected,
} from "../../../shared/retention/projected.ts";
import { type RetentionPolicy, retentionInForce, type StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { applyField } from "./field.ts";
import type { SetAndRivals } from "./look.ts";

/** What of the policy is written onto the field. */
export type Extent = "whole" | "scaled" | "off";

/** So often a value that somebody else takes back is applied again; then they are left to fight it out with people. */
const patience = 3;
/** Taken back later than this after it was applied, a value was changed, not fought over. Milliseconds. */
const fightWindow = 3_600_000;

const unreadable = "PolicyUnreadable";
const contested = "ClaimNamesContested";
const held = "RetentionPolicyHeld";
const fought = "RetentionPolicyTakenBack";

/** The Event that each step was told by. */
const told: Readonly<Record<string, string>> = {
  [projected.unreadable]: unreadable,
  [projected.contested]: contested,
  [projected.held]: held,
  [projected.foughtOver]: fought,
};

const keep: RetentionPolicy = { whenDeleted: "Retain", whenScaled: "Retain" };

/** What is to be done about a set; nothing where it is being deleted: Kubernetes' controller looks at the field no more. */
export function decideSet(facts: SetAndRivals, now: number, extent: Extent): Decision | undefined {
  const { set, policy } = facts;
  if (isBeingDeleted(set)) return undefined;
  return policy ? enforce({ ...facts, policy }, now, extent) : giveBack(set, now);
}

interface Enforced extends SetAndRivals {
  readonly policy: Policy;
}

function enforce({ set, policy, rivals }: Enforced, now: number, extent: Extent): Decision | undefined {
  const subject = { about: set, kind: Sets };
  const current = retentionInForce(set);
  const rival = policy.name === "Retain" ? undefined : rivals[0];
  const native = rival ? keep : nativePolicy(policy);
  const wanted = cut(native, extent);
  const before = readProgress(set, name);
  if (!current) return settle(set, policy, rival, before, now);
  const agrees = extent === "off" ? !holdsField(set) && !deletesMore(current, native) : isSame(current, wanted);
  if (agrees) return settle(set, policy, rival, before, now);

  const holders = holdersOfDelete(set);
  const details = describePolicy(policy);
  if (holders.length > 0) {
    const because =
      `${faultsOf(policy)}The persistentVolumeClaimRetentionPolicy of StatefulSet ${set.metadata.name} is ${inFull(current)}, held by ${holders.join(", ")}: ` +
      `it is left as it is, and not made ${inFull(wanted)}. Take it out of what ${holders.join(", ")} ${holders.length > 1 ? "apply" : "applies"}, or remove the annotation ${policyKey}.`;
    const step = { name: projected.held, details: { ...details, holders } };
    return { ...subject, do: "stop", because, step, ...tellingOf(before?.step, warning(held, because)) };
  }

  const field = text(wanted);
  const attempt = attemptAfter(before, field, now);
  if (attempt > patience) {
    const because =
      `The persistentVolumeClaimRetentionPolicy of StatefulSet ${set.metadata.name} was made ${inFull(wanted)} ${patience} times and taken back as often: it is left alone. ` +
      `Take the field out of what somebody else applies to the set, then remove the annotation ${progressKey(name)}.`;
    const step = { name: projected.foughtOver, attempt, details: { ...details, field } };
    return { ...subject, do: "stop", because, step, ...tellingOf(before?.step, warning(fought, because)) };
  }
  const because = `StatefulSet ${set.metadata.name} gets persistentVolumeClaimRetentionPolicy ${inFull(wanted)}, as ${reasonFor(policy, rival)}.`;
  const step = {
    name: stepOf(policy, rival),
    attempt,
    details: { ...details, field, applied: new Date(now).toISOString() },
  };
  const notice = noticeOf(set, policy, rival);
  return {
    ...subject,
    do: "write",
    because,
    writes: [applyField(set, extent === "off" ? undefined : wanted, noted(set, step, because, now))],
    ...tellingOf(before?.step, notice),
  };
}

/** The field is what it is to be, or nothing of ours to say: what is in force is written down, for people and for the other rules. */
function settle(
  set: StatefulSet,
  policy: Policy,
  rival: StatefulSet | undefined,
  before: Before,
  now: number,
): Decision | undefined {
  const field = before?.field;
  // What was applied stays on record, so that it is noticed when it is taken back.
  const current = retentionInForce(set);
  const ours = current !== undefined && field === text(current);
  const details = { ...describePolicy(policy), ...(ours ? { field, applied: before?.applied } : {}) };
  const step: Step = {
    name: stepOf(policy, rival),
    ...(ours && before?.attempt !== undefined ? { attempt: before.attempt } : {}),
    details,
  };
  const notice = noticeOf(set, policy, rival);
  const because = notice?.note ?? `StatefulSet ${set.metadata.name} follows ${policy.name}: ${inWords(policy)}.`;
  const told = tellingOf(before?.step, notice);
  // Most updates of a set change its status alone: nothing is said twice.
  if (nextProgress(set, name, step, because, now) === undefined && told.retract.length === 0) return undefined;
  return { about: set, kind: Sets, do: "wait", because, step, ...told };
}

/**
 * No policy any more. The field falls back to its default; what is left on claims is forgive's to take away, and at its end this
 * progress, too: it is what shows forgive that there was something.
 */
function giveBack(set: StatefulSet, now: number): Decision | undefined {
  const before = readProgress(set, name);
  const subject = { about: set, kind: Sets };
  const step = { name: projected.givenBack };
  if (holdsField(set)) {
    const because = `StatefulSet ${set.metadata.name} has no policy any more: its persistentVolumeClaimRetentionPolicy is given back.`;
    const write = applyField(set, undefined, noted(set, step, because, now));
    return { ...subject, do: "write", because, writes: [write], ...tellingOf(before?.step) };
  }
  if (!before || before.step === step.name) return undefined;
  const because = `StatefulSet ${set.metadata.name} has no policy any more; nothing of its persistentVolumeClaimRetentionPolicy is ours.`;
  return { ...subject, do: "wait", because, step, ...tellingOf(before.step) };
}

type Before = ReturnType<typeof readProgress>;

/** How often this value was applied, this time included: each time after the first, somebody had taken it back. */
function attemptAfter(before: Before, field: string, now: number): number {
  if (before?.field !== field) return 1;
  const recent = now - Date.parse(String(before.applied)) < fightWindow;
  return before.step === projected.foughtOver ? patience + 1 : recent ? (before.attempt ?? 1) + 1 : 1;
}

/** What is left of the policy for Kubernetes' own controller. */
function cut({ whenDeleted, whenScaled }: RetentionPolicy, extent: Extent): RetentionPolicy {
  if (extent === "whole") return { whenDeleted, whenScaled };
  return { whenDeleted: "Retain", whenScaled: extent === "scaled" ? whenScaled : "Retain" };
}

function stepOf({ faults }: Policy, rival: StatefulSet | undefined): Projected {
  if (faults.length > 0) return projected.unreadable;
  return rival ? projected.contested : projected.inForce;
}

/** What an admin must know of the policy itself. */
function noticeOf(set: StatefulSet, policy: Policy, rival: StatefulSet | undefined): Notice | undefined {
  if (policy.faults.length > 0)
    return warning(
      unreadable,
      `${faultsOf(policy)}Until that is mended, no claim of StatefulSet ${set.metadata.name} is deleted.`,
    );
  if (!rival) return undefined;
  const note =
    `StatefulSets ${set.metadata.name} and ${rival.metadata.name} both make claims of the same names: whose a claim is cannot be told, ` +
    `and ${policy.name} deletes none of those. Give one of the sets, or its volumeClaimTemplate, another name.`;
  return warning(contested, note);
}

/** Takes back what was told before, unless it is told again. */
function tellingOf(step: string | undefined, notice?: Notice): { notice?: Notice; retract: readonly string[] } {
  const reason = told[step ?? ""];
  const retract = reason !== undefined && reason !== notice?.reason ? [reason] : [];
  return notice ? { notice, retract } : { retract };
}

const warning = (reason: string, note: string): Notice => ({ type: "Warning", reason, action: "Project", note });

/** The progress annotation, for the write that makes it true. */
function noted(set: StatefulSet, step: Step, because: string, now: number): Record<string, string> {
  const text = nextProgress(set, name, step, because, now) ?? set.metadata.annotations?.[progressKey(name)];
  return text === undefined ? {} : { [progressKey(name)]: text };
}

const faultsOf = ({ faults }: Policy) => faults.map((fault) => `${fault} `).join("");

function reasonFor(policy: Policy, rival: StatefulSet | undefined): string {
  if (rival) return `StatefulSet ${rival.metadata.name} makes claims of the same names`;
  if (policy.faults.length > 0) return "its policy cannot be read";
  return policy.grace > 0 ? "its claims are to be kept for a while first" : `${policy.name} asks for`;
}

function inWords({ whenDeleted, whenScaled, grace }: Policy): string {
  if (whenDeleted === "Retain" && whenScaled === "Retain") return "its claims are kept";
  const occasions = [
    ...(whenScaled === "Delete" ? ["with the replicas that are scaled away"] : []),
    ...(whenDeleted === "Delete" ? ["with the set"] : []),
  ];
  const delay = grace > 0 ? `, ${writeDuration(grace)} later` : "";
  return `its claims are deleted ${occasions.join(" and ")}${delay}`;
}

const isSame = (one: RetentionPolicy, other: RetentionPolicy) => text(one) === text(other);

/** Whether the field deletes claims that the policy keeps, or keeps for a while. */
function deletesMore(field: RetentionPolicy, policy: RetentionPolicy): boolean {
  return (
    (field.whenDeleted === "Delete" && policy.whenDeleted === "Retain") ||
    (field.whenScaled === "Delete" && policy.whenScaled === "Retain")
  );
}

const inFull = ({ whenDeleted, whenScaled }: RetentionPolicy) =>
  `{whenDeleted: ${whenDeleted}, whenScaled: ${whenScaled}}`;

/** `Delete/Retain`: when the set is deleted, and when it is scaled down. */
const text = ({ whenDeleted, whenScaled }: RetentionPolicy) => `${whenDeleted}/${whenScaled}`;
