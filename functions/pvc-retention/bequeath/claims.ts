import type { WriteStep } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { OwnerReference } from "../../../shared/kubernetes/object.ts";
import { labelFor, progressKey } from "../../../shared/progress.ts";
import { handsOff, keptBecause } from "../../../shared/retention/hands-off.ts";
import type { SetAndClaims, TemplateClaim } from "../../../shared/retention/look-at-set.ts";
import { markingRule, readMark } from "../../../shared/retention/mark.ts";
import { changeOwners, controlledBy, ownersIn } from "../../../shared/retention/owner-references.ts";
import type { StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { deleteAtKey } from "../../../shared/retention/traces.ts";

/**
 * Takes the references to the set off all claims that still carry one, and those to its pods, which go with it; so the
 * garbage collector keeps the claims. Claims that two sets yield are no exception: whoever keeps harms nobody.
 */
export function release({ set, claims }: SetAndClaims, because: string, alsoFromPods = true): readonly WriteStep[] {
  return claims.flatMap((one) => write(one, tied(set, one, alsoFromPods), because) ?? []);
}

/**
 * Has every claim refer to the set, so that the garbage collector deletes it after the set is gone. A claim that refers to a pod of
 * the set goes with the pod. What is marked or saved, or may be another set's, does not go with this one.
 */
export function refer(facts: SetAndClaims): readonly WriteStep[] {
  const { set, claims } = facts;
  const title = `StatefulSet ${set.metadata.name}`;
  return claims.flatMap((one) => {
    const name = one.claim.metadata.name;
    if (one.rival || readMark(one.claim))
      return write(one, tied(set, one, true), `Claim ${name} does not go with ${title}.`) ?? [];
    const owners = ownersIn(set, one);
    if (handsOff(one, owners) || owners.pod?.controller || owners.set?.controller) return [];
    const because = `Claim ${name} goes with ${title}, which is being deleted.`;
    return write(one, owners.set ? [owners.set] : [], because, controlledBy(Sets, set.metadata)) ?? [];
  });
}

/** How many claims would go with the set if it were deleted now, and are not to. Without a policy, what people wrote is theirs. */
export function tiedTo({ set, policy, claims }: SetAndClaims): number {
  return claims.filter((one) => {
    const owner = ownersIn(set, one).set;
    return owner && (policy || owner.controller) && !isBeingDeleted(one.claim);
  }).length;
}

/** Takes away the marks that were made because the set goes with its claims, which it does not. */
export function unmark({ set, claims }: SetAndClaims, because: string): readonly WriteStep[] {
  return claims.flatMap((one) => {
    const { claim } = one;
    const mark = readMark(claim);
    // One write at a time: references come first.
    if (isBeingDeleted(claim) || tied(set, one, true).length > 0) return [];
    if (mark?.setUid !== set.metadata.uid || mark.cause === "scaled-down") return [];
    const annotations = { [deleteAtKey]: null, [progressKey(markingRule)]: null };
    const writes = [annotate(PersistentVolumeClaim, claim, annotations, labelFor(claim, markingRule, undefined))];
    return { about: claim, kind: PersistentVolumeClaim, do: "write", because, writes };
  });
}

/** Claims that grace has to mark before the set may go. */
export function unmarked({ set, claims }: SetAndClaims): readonly TemplateClaim[] {
  return claims.filter((one) => {
    if (isBeingDeleted(one.claim) || keptBecause(one, ownersIn(set, one))) return false;
    const mark = readMark(one.claim);
    return !mark || (mark.step !== "saved" && (mark.cause !== "set-deleted" || mark.setUid !== set.metadata.uid));
  });
}

/** By what the garbage collector would delete the claim once the set is gone. One that is stale with nothing else goes anyway. */
function tied(set: StatefulSet, one: TemplateClaim, alsoFromPods: boolean): readonly OwnerReference[] {
  const owners = ownersIn(set, one);
  const references = [owners.set, alsoFromPods ? owners.pod : undefined].filter((reference) => reference !== undefined);
  return references.length > 0 && owners.stale ? [...references, owners.stale] : references;
}

function write(
  { claim }: TemplateClaim,
  remove: readonly OwnerReference[],
  because: string,
  add?: OwnerReference,
): WriteStep | undefined {
  if (isBeingDeleted(claim) || (remove.length === 0 && !add)) return undefined;
  return {
    about: claim,
    kind: PersistentVolumeClaim,
    do: "write",
    because,
    writes: [changeOwners(claim, remove, add)],
  };
}
