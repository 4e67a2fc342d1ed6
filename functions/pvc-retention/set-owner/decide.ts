import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { normal } from "../../../shared/steps.ts";
import { isTerminated } from "../../../shared/storage/pod-claims.ts";
import { retentionOf, type StatefulSet } from "../lib/stateful-set.ts";
import { labelsFor, ordinalOf } from "../lib/template-claims.ts";
import type { Facts, NamedClaim } from "./look.ts";
import {
  commandToNote,
  endChecks,
  hasNote,
  hasPolicy,
  isTakenOut,
  isUsedBy,
  lastTie,
  noteFollowing,
  noteUse,
  takesAlong,
  tieNow,
} from "./notes.ts";
import { inTheWay, isControlledBy, isOurs, referenceTo, tie, untie, whileItDeletes } from "./references.ts";

const notIncluded = normal("ClaimNotIncluded");

/** What is to be done about the claims of a set, each of them one step, and what is to be noted on the set itself. */
export function decide(facts: Facts | undefined, now: number): readonly Decision[] {
  if (!facts) return [];
  const { set, home } = facts;
  const claims = facts.claims.filter(({ claim }) => !isBeingDeleted(claim));
  const decisions = claims.flatMap((one) => decideReference(facts, one) ?? witness(set, one) ?? []);
  const written = decisions.filter((decision) => decision.do === "write");
  const changed = written.length > 0;
  const isTied = written.some(({ preconditions }) => preconditions);
  // A tie that its caller has given up may be carried out when the set takes nothing along any more.
  const tied = isTied ? tieNow(set, now) : takesAlong(set, home) ? undefined : lastTie(set, now);
  // No event of the set says that another's pod begins to use a claim, that a claim gets other labels, or that the
  // namespace takes back what it has said.
  const isOverruled = takesAlong(set, undefined) && !takesAlong(set, home);
  const isChecked = hasPolicy(set) && (isOverruled || claims.some((one) => isHeldByUs(set, one)));
  if (hasPolicy(set) || changed || tied) return [...decisions, noteFollowing(facts, changed, isChecked, tied)];
  const message = `StatefulSet ${set.metadata.name} has no policy any more, and nothing of ours is on its claims.`;
  const { leave, write } = about(Sets, set);
  const writes = endChecks(set);
  return [...decisions, writes.length > 0 ? write(message, writes) : leave(message)];
}

/** Whether the claim goes with the set by our reference alone: one with a pod of the set Kubernetes would tie again. */
function isHeldByUs(set: StatefulSet, { claim, pods }: NamedClaim): boolean {
  const reference = referenceTo(claim, set);
  return reference !== undefined && isOurs(reference) && !pods.some((pod) => isControlledBy(pod, set));
}

/** A pod of this very set is there, with the number of the claim: Kubernetes' own controller goes by the same. */
function witness(set: StatefulSet, { claim, pods }: NamedClaim): Decision | undefined {
  const name = `${set.metadata.name}-${ordinalOf(set, claim.metadata.name)}`;
  const used = pods.some((pod) => pod.metadata.name === name && isControlledBy(pod, set));
  const isNew = hasPolicy(set) && used && !isUsedBy(claim, set) && labelsFor(set, claim) !== "differ";
  return isNew ? noteUse(claim, set) : undefined;
}

function decideReference({ set, home }: Facts, { claim, pods }: NamedClaim): Decision | undefined {
  const { name } = claim.metadata;
  const reference = referenceTo(claim, set);
  const isOut = isTakenOut(claim, set);
  // What another's pod uses is not the set's to take along, also if that pod came after the reference.
  const borrowers = pods.filter((pod) => !isControlledBy(pod, set));
  const isLent = borrowers.some((pod) => !isTerminated(pod));
  const keeps = retentionOf(set).whenDeleted === "Retain";
  // What Kubernetes' own controller wrote follows the field alone: it would come back at the next sync of the set.
  const isOver = reference && (keeps || (isOurs(reference) && (isOut || isLent || !takesAlong(set, home))));
  const forget = !hasPolicy(set) && hasNote(claim);
  if (isOver || forget) {
    const message = isOver
      ? `Claim ${name} is not to be deleted with StatefulSet ${set.metadata.name}: it has no owner now.`
      : `Claim ${name} has no note any more: StatefulSet ${set.metadata.name} has no policy.`;
    return about(PersistentVolumeClaim, claim).write(
      message,
      isOver ? [untie(claim, reference)] : [],
      forget ? {} : { progress: "unchanged" },
    );
  }
  // Of claims with a pod of the set Kubernetes' own controller takes care.
  if (reference || pods.length > borrowers.length || !takesAlong(set, home)) return undefined;
  const [borrower] = borrowers;
  if (borrower) {
    const why = `pod ${borrower.metadata.name}, which is not one of the set's, names it`;
    // Of a claim that the set has never used, others need not hear.
    return isUsedBy(claim, set) ? leaveOut(set, claim, `${why}. Delete that pod if the claim is to go.`) : undefined;
  }
  const obstacle = inTheWay(claim, set);
  if (obstacle)
    return leaveOut(set, claim, `${obstacle.kind} ${obstacle.name} owns it. Remove that reference if it is to go.`);
  if (isOut)
    return leaveOut(
      set,
      claim,
      "its labels are not those of the set's claims. To have it deleted with the set, give it those labels.",
    );
  if (!isUsedBy(claim, set))
    return leaveOut(
      set,
      claim,
      `nothing shows that the set has used it. To have it deleted: ${commandToNote(claim, set)}`,
    );
  const message = `Claim ${name} is given to StatefulSet ${set.metadata.name}, which has used it, and goes with it.`;
  // After what is noted on the set, by which the sweep finds a tie that is carried out late.
  const [order, preconditions, clears] = [1, whileItDeletes(set), [notIncluded.reason]];
  const more = { progress: "unchanged", order, preconditions, clears } as const;
  return about(PersistentVolumeClaim, claim).write(message, [tie(claim, set)], more);
}

/** The claim has the name of one of the set's, and stays when the set goes. */
function leaveOut(set: StatefulSet, claim: KubernetesObject, why: string): Decision {
  const message = `Claim ${claim.metadata.name} will not go with StatefulSet ${set.metadata.name}, because ${why}`;
  return about(PersistentVolumeClaim, claim).record(message, notIncluded);
}
