import type { Tell, Wait } from "../decision.ts";
import { isBeingDeleted } from "../kubernetes/finalizer.ts";
import { PersistentVolumeClaim } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { readProgress } from "../progress.ts";
import type { TemplateClaim } from "./look-at-set.ts";
import { markingRule } from "./mark.ts";
import { isPodOf } from "./pod-set.ts";
import type { StatefulSet } from "./stateful-set.ts";

/** The rule that deletes the claims of a scale-down where there is no delay. */
export const condemningRule = "pvc-retention/condemn";

/** Those whose progress on a claim says which set they have seen it with, as `setUid`. */
const witnesses = [condemningRule, markingRule];

/**
 * Whether the claim is older than the set, and no rule has seen the set use it. A set that is made anew, with fewer replicas than the
 * one before it had, was never scaled down: what that one left with a policy that keeps claims when the set is deleted stays.
 */
export function isFromBefore(set: StatefulSet, claim: KubernetesObject): boolean {
  const [older, younger] = [claim, set].map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? ""));
  const isSeen = witnesses.some((rule) => readProgress(claim, rule)?.setUid === set.metadata.uid);
  return Number(older) < Number(younger) && !isSeen;
}

/** Notes on a claim from before its set that the set uses it: one of its pods is there. */
export function noteUse(set: StatefulSet, { claim, pod, rival }: TemplateClaim): Wait | undefined {
  if (rival || isBeingDeleted(claim) || !isFromBefore(set, claim) || !pod || !isPodOf(set, pod)) return undefined;
  const because = `StatefulSet ${set.metadata.name} uses claim ${claim.metadata.name}, which was there before it.`;
  const step = { name: "used", details: { setUid: set.metadata.uid } };
  return { about: claim, kind: PersistentVolumeClaim, do: "wait", because, step };
}

/** Says of a claim from before its set, whose replica the set does not want, that it is kept. */
export function keepFromBefore(set: StatefulSet, claim: KubernetesObject, action: string): Tell {
  const because =
    `Claim ${claim.metadata.name} is older than StatefulSet ${set.metadata.name}, and nothing shows that the set has ever used it: it may be what an ` +
    "earlier set of the name was to leave, and is kept. Delete it by hand if nobody needs it.";
  const notice = { type: "Normal", reason: condemnedClaimKept, action, note: because } as const;
  return { about: claim, kind: PersistentVolumeClaim, do: "tell", because, notice };
}

/** The Event that a claim whose replica was scaled away is kept all the same. */
export const condemnedClaimKept = "CondemnedClaimKept";
