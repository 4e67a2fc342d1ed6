import type { Decision } from "../../../shared/decision.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { isCascading } from "../../../shared/retention/cascade.ts";
import { isFromBefore, keepFromBefore, noteUse } from "../../../shared/retention/from-before.ts";
import { keptBecause } from "../../../shared/retention/hands-off.ts";
import { inUse } from "../../../shared/retention/in-use.ts";
import type { SetAndClaims, TemplateClaim } from "../../../shared/retention/look-at-set.ts";
import { type Cause, deleteTime, type Mark, mayHaveServedSince, readMark } from "../../../shared/retention/mark.ts";
import { ownersIn } from "../../../shared/retention/owner-references.ts";
import { mark, save, settle, tellUnreadable, withdraw } from "./steps.ts";

/** Keeps the marks of a set's claims right. It deletes none: for that, a claim is looked at by itself. */
export function decideOfSet(facts: SetAndClaims, now: number): readonly Decision[] {
  return facts.claims.flatMap((one) => judge(facts, one, now) ?? []);
}

/** What is to be changed about the mark of a claim; `undefined` when it has none and needs none, or nobody can tell yet. */
export function judge(facts: SetAndClaims, one: TemplateClaim, now: number): Decision | undefined {
  const { set, policy } = facts;
  const { claim, inRange, pod } = one;
  const known = readMark(claim);
  if (isBeingDeleted(claim)) return known && inRange && !isBeingDeleted(set) ? inUse(one, "Delete") : undefined;
  const cause = causeOf(facts, one, known);
  if (cause === "undecided") return undefined;
  if (!known) {
    if (!policy || policy.grace === 0) return undefined;
    if (!cause)
      return inRange && policy.whenScaled === "Delete" && !isBeingDeleted(set) ? noteUse(set, one) : undefined;
    if (cause === "scaled-down" && !pod && isFromBefore(set, claim)) return keepFromBefore(set, claim, "Mark");
    const isOut = cause !== "scaled-down" || !pod || isBeingDeleted(pod);
    return isOut ? mark(claim, set, policy, cause, now) : undefined;
  }
  const due = deleteTime(claim);
  if (known.step === "saved" && (due === undefined || !cause)) {
    if (inRange && !isBeingDeleted(set)) return withdraw(claim, `StatefulSet ${set.metadata.name} uses it again`);
    return policy?.name === known.policy ? undefined : withdraw(claim, "the policy has changed, which counts anew");
  }
  if (!cause) return withdraw(claim, reasonToStay(facts, one));
  if (known.setUid !== set.metadata.uid)
    return policy && policy.grace > 0
      ? mark(claim, set, policy, cause, now)
      : withdraw(claim, `StatefulSet ${set.metadata.name} is another one now`);
  if (due === undefined) return save(claim, known);
  // What was promised counts for the data that was there then. A time that people have put off further stays.
  if (mayHaveServedSince(set, known) && policy && policy.grace > 0 && due <= now + policy.grace)
    return mark(claim, set, policy, cause, now);
  // A set that is being deleted waits until its claims are marked on its behalf, whatever people have made of the time.
  const current = { ...known, cause, policy: policy?.name ?? known.policy, generation: set.metadata.generation };
  return Number.isNaN(due) ? tellUnreadable(claim, current) : settle(claim, current, due);
}

/** Whether the mark of a claim stands exactly as its set and policy say now: then its time may come. */
export function stands(facts: SetAndClaims, one: TemplateClaim, known: Mark): boolean {
  const { step, cause, setUid } = known;
  return (
    step === "marked" &&
    !mayHaveServedSince(facts.set, known) &&
    cause !== "set-deleting" &&
    setUid === facts.set.metadata.uid &&
    cause === causeOf(facts, one, readMark(one.claim))
  );
}

/** Why the claim is to go; `undefined` when it stays. `undecided` while nobody knows how the set's deletion was asked for. */
function causeOf(
  { set, policy }: SetAndClaims,
  one: TemplateClaim,
  known: Mark | undefined,
): Cause | "undecided" | undefined {
  if (keptBecause(one, ownersIn(set, one))) return undefined;
  if (!isBeingDeleted(set)) return policy?.whenScaled === "Delete" && !one.inRange ? "scaled-down" : undefined;
  if (!isCascading(set) || hasFinalizer(set, "orphan")) return "undecided";
  if (policy?.whenDeleted !== "Delete") return undefined;
  const isSeen = known?.setUid === set.metadata.uid && known.cause !== "scaled-down";
  return isSeen ? "set-deleted" : "set-deleting";
}

/** The end of a sentence. */
function reasonToStay({ set, policy }: SetAndClaims, one: TemplateClaim): string {
  const reason = keptBecause(one, ownersIn(set, one));
  if (reason) return `of this: ${reason.replace(/\.$/, "")}`;
  if (one.inRange && !isBeingDeleted(set)) return `StatefulSet ${set.metadata.name} uses it again`;
  return `the policy of StatefulSet ${set.metadata.name} is ${policy?.name ?? "gone"}`;
}
