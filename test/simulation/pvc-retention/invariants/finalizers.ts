import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { type Invariant, isBy, leaving, type Truth } from "../../invariants/invariant.ts";
import { goesWithSet, momentsOf, unseen } from "../moments.ts";
import { finalizer, meansSetOrPod, ordinalOf, progressOn, type SetLike } from "../words.ts";
import { fieldOf } from "./field.ts";

/**
 * Our finalizer leaves a set that is being deleted only when its claims are as the policy wants them: all given to the set, all
 * marked with a time, or none of either; and a set that lives only when none goes with it. What others have changed a moment before nobody can have seen.
 */
export const finalizerLeavesLast: Invariant = {
  name: "finalizer-leaves-last",
  check(change, truth) {
    if (!isBy(change, "pvc-retention") || change.object.kind !== "StatefulSet") return undefined;
    const set = change.before as SetLike | undefined;
    if (!set || !leaving(change).includes(finalizer)) return undefined;
    const now = change.at;
    const claims = truth.chronicle
      .live("PersistentVolumeClaim")
      .filter((claim) => ordinalOf(set, claim.metadata.name) !== undefined && isSettled(claim, truth, now));
    const tied = claims.filter((claim) => refers(claim, set));
    const promised = claims.filter((claim) => isPromised(claim, set));
    const title = `${finalizer} left set ${set.metadata.name}`;
    if (!set.metadata.deletionTimestamp) {
      const [claim] = isOfOthers(set) ? [] : tied;
      return claim && `${title}, although claim ${claim.metadata.name} would still go with it.`;
    }
    for (const claim of [...tied, ...promised]) {
      const goes = momentsOf(truth, set.metadata.name).some((moment) => goesWithSet(moment, claim));
      if (!goes) return `${title}, although claim ${claim.metadata.name} goes with it and the policy keeps it.`;
    }
    if (tied.length + promised.length === 0) return undefined;
    const left = claims.find(
      (claim) => !tied.includes(claim) && !promised.includes(claim) && !isSaved(claim) && isToGo(claim, set, truth),
    );
    return left && `${title} before claim ${left.metadata.name} was seen to, as others were.`;
  },
};

/** Whether a value of the field that somebody else has chosen wants the references. */
function isOfOthers(set: SetLike): boolean {
  const step = progressOn(set, "project")?.step;
  return fieldOf(set).whenDeleted === "Delete" && (step === "held" || step === "fought-over");
}

/** Whether nobody else has made the claim, or changed whose it is, since anybody can have looked. */
function isSettled({ metadata }: KubernetesObject, { changes }: Truth, now: number): boolean {
  if (metadata.deletionTimestamp) return false;
  const whose = (claim: KubernetesObject | undefined) =>
    claim && JSON.stringify([claim.metadata.ownerReferences, claim.metadata.labels, claim.metadata.annotations]);
  return !changes.some(
    ({ object, at, by, before, after }) =>
      object.metadata.uid === metadata.uid && at > now - unseen && !by.process && whose(before) !== whose(after),
  );
}

const ownersOf = ({ metadata }: KubernetesObject) => metadata.ownerReferences ?? [];
const refers = (claim: KubernetesObject, set: SetLike) => ownersOf(claim).some(({ uid }) => uid === set.metadata.uid);

function isPromised(claim: KubernetesObject, set: SetLike): boolean {
  const { step, setUid, cause } = progressOn(claim, "grace") ?? {};
  return step === "marked" && setUid === set.metadata.uid && cause === "set-deleted";
}

const isSaved = (claim: KubernetesObject) => progressOn(claim, "grace")?.step === "saved";

/** Whether nothing of others speaks for the claim: it is its set's, and belongs to nobody else. */
function isToGo(claim: KubernetesObject, set: SetLike, truth: Truth): boolean {
  if (!momentsOf(truth, set.metadata.name).every((moment) => goesWithSet(moment, claim))) return false;
  return (
    ownersOf(claim).length === 0 ||
    ownersOf(claim).every((owner) => !meansSetOrPod(set.metadata.name, owner) && !owner.controller)
  );
}
