import type { Decision, WriteStep } from "../../../shared/decision.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { readProgress } from "../../../shared/progress.ts";
import { cascading, isCascading, deletingRule as name } from "../../../shared/retention/cascade.ts";
import type { SetAndClaims } from "../../../shared/retention/look-at-set.ts";
import { readMark } from "../../../shared/retention/mark.ts";
import { retentionFinalizer } from "../../../shared/retention/traces.ts";
import { refer, release, unmark, unmarked } from "./claims.ts";
import { decideAlive, isFieldOfOthers } from "./decide-alive.ts";
import type { Evidence } from "./evidence.ts";
import { keeping, letGo, wait } from "./steps.ts";

/** A set, and if it is held by our finalizer its claims and what its dependents show, read after it. */
export type Facts = (SetAndClaims & { readonly evidence?: Evidence }) | undefined;

const kept = "ClaimsKept";
/** The end of a sentence. */
const unproven =
  "nothing shows any more that it was not deleted with --cascade=orphan; delete by hand those that nobody needs";
const notMarked = "ClaimsNotMarked";
/** So long grace may take to mark the claims of a set before somebody is told that it does not. Milliseconds. */
const patience = 60_000;

export function decide(facts: Facts, now: number): readonly Decision[] {
  if (!facts) return [];
  if (!isBeingDeleted(facts.set)) return decideAlive(facts, now);
  if (!hasFinalizer(facts.set, retentionFinalizer)) return [];
  if (!facts.policy && isFieldOfOthers(facts)) {
    const title = `StatefulSet ${facts.set.metadata.name}`;
    return [
      letGo(facts.set, `${title} has no policy any more; its claims go as somebody else's value of its field says.`),
    ];
  }
  const reason = keptBecause(facts);
  if (reason) return keep(facts, reason);
  return facts.policy && facts.policy.grace > 0 ? passToGrace(facts, now) : passOn(facts, now);
}

/** Why the claims stay, as the end of a sentence. Unless it is proven that they are to go, they do. */
function keptBecause({ set, policy, evidence }: NonNullable<Facts>): string | undefined {
  if (!policy) return "it has no policy any more";
  if (policy.whenDeleted !== "Delete") return `${policy.name} says so`;
  if (hasFinalizer(set, "orphan") || evidence === "orphaned") return "it was deleted with --cascade=orphan";
  const isProven = evidence === "cascade" || hasFinalizer(set, "foregroundDeletion") || isCascading(set);
  return isProven ? undefined : unproven;
}

function keep(facts: NonNullable<Facts>, reason: string): readonly Decision[] {
  const { set, policy, evidence } = facts;
  const because = `The claims of StatefulSet ${set.metadata.name} are kept, because ${reason}.`;
  // Whoever was scaled away under a policy that deletes then, goes with its pod: that was decided before.
  const alsoFromPods = policy?.whenScaled !== "Delete" || evidence !== "cascade";
  const writes = [...release(facts, because, alsoFromPods), ...unmark(facts, because)];
  if (writes.length > 0) return [...writes, wait(set, { name: keeping, details: { left: writes.length } }, because)];
  const type = reason === unproven ? "Warning" : "Normal";
  const notice = { type, reason: kept, action: "Bequeath", note: because } as const;
  return [{ ...letGo(set, because), notice }];
}

/** The references are seen to be there before the finalizer goes: then the set is gone, and the garbage collector begins. */
function passOn(facts: NonNullable<Facts>, now: number): readonly Decision[] {
  const { set } = facts;
  const title = `StatefulSet ${set.metadata.name}`;
  const writes = refer(facts);
  // A claim that was promised a time keeps it, though there is no delay any more: grace notes that its set is the reason now.
  const promised = unmarked(facts).filter(({ claim }) => readMark(claim)).length;
  if (writes.length === 0 && promised > 0) return waitForGrace(facts, [], promised, now);
  if (writes.length === 0)
    return [
      letGo(
        set,
        `${title} is let go; the garbage collector deletes its claims, and protection keeps them until its pods are gone.`,
      ),
    ];
  const because = `${title} is being deleted and its claims go with it; ${writes.length} of them do not refer to it yet.`;
  const step = (left: number) => wait(set, { name: cascading, details: { left } }, because);
  // Written down before anything is done: later, nothing may show any more how the deletion was asked for. Afterwards
  // it is the change of the set that wakes us to see whether the references are there; claims do not.
  return isCascading(set) ? [...writes, step(0)] : [step(writes.length)];
}

/** Claims that are kept for a while refer to nobody: grace marks them, and deletes them when their time has come. */
function passToGrace(facts: NonNullable<Facts>, now: number): readonly Decision[] {
  const { set } = facts;
  const title = `StatefulSet ${set.metadata.name}`;
  const writes = release(facts, `${title} is being deleted, and its claims are kept for a while.`);
  const left = unmarked(facts).length;
  if (writes.length + left === 0)
    return [letGo(set, `${title} is let go; its claims are kept until the times that are marked on them.`)];
  return waitForGrace(facts, writes, left, now);
}

function waitForGrace(
  { set }: NonNullable<Facts>,
  writes: readonly WriteStep[],
  left: number,
  now: number,
): readonly Decision[] {
  const title = `StatefulSet ${set.metadata.name}`;
  const because = `${title} is being deleted and waits until its claims are marked with the time of their deletion; ${left} are not.`;
  const since = isCascading(set) ? Date.parse(readProgress(set, name)?.since ?? "") : now;
  const isLate = left > 0 && now - since >= patience;
  const step = { name: cascading, details: { left: writes.length + left, ...(isLate ? { isLate } : {}) } };
  if (!isLate) return [...writes, wait(set, step, because)];
  const note = `${because} Is pvc-retention/grace installed and running? To let the set go and keep its claims, set its policy to Retain.`;
  const notice = { type: "Warning", reason: notMarked, action: "Bequeath", note } as const;
  return [...writes, { ...wait(set, step, note), notice }];
}
