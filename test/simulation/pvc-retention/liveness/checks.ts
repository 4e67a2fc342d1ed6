import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { isOurs } from "../../invariants/invariant.ts";
import { claimsOf, type LivenessCheck, type LivenessTruth } from "../../liveness/liveness-check.ts";
import {
  askedFor,
  fieldOf,
  holdersOf,
  isControlledBy,
  isNamedAfter,
  type Occasion,
  progressOf,
  type SetLike,
  setsEver,
  usersOf,
  wasSeenUsedBy,
} from "../history.ts";

const occasions = ["whenDeleted", "whenScaled"] as const satisfies readonly Occasion[];

/** The sets that live and are not going, with what users have asked for. */
function standing({ history }: LivenessTruth) {
  const home = history.live("Namespace").find(({ metadata }) => !metadata.name.startsWith("holdfast"));
  const sets = (history.live("StatefulSet") as readonly SetLike[]).filter(
    ({ metadata }) => !metadata.deletionTimestamp,
  );
  const homeOf = (set: SetLike) =>
    history.live("Namespace").find(({ metadata }) => metadata.name === set.metadata.namespace) ?? home;
  return sets.map((set) => ({ set, asked: askedFor(set, homeOf(set)) }));
}

/** Whether anybody else has ever written the field of this set, or holds it. */
function isDisputed({ changes }: LivenessTruth, set: SetLike): boolean {
  if (occasions.some((one) => holdersOf(set, one).some(({ operation }) => operation === "Apply"))) return true;
  return changes.some(({ by, before, after, object }) => {
    if (object.metadata.uid !== set.metadata.uid || by.process || !before || !after) return false;
    return occasions.some((one) => fieldOf(before as SetLike, one) !== fieldOf(after as SetLike, one));
  });
}

/**
 * A set's field is what users have asked for, unless another manager has a say in it; where they ask for nothing,
 * nothing of ours is in it.
 */
const fieldsFollow: LivenessCheck = {
  name: "fields-follow",
  check(truth) {
    for (const { set, asked } of standing(truth)) {
      if (isDisputed(truth, set)) continue;
      for (const one of occasions) {
        const [is, wanted] = [fieldOf(set, one), asked?.[one] ?? "Retain"];
        if (is !== wanted) return `The field of set ${set.metadata.name} is ${one}: ${is}, not ${wanted}.`;
      }
    }
    return undefined;
  },
};

/** A claim without a pod belongs to a set that lives where it goes with it, and to no owner where it stays. */
const ownersFollow: LivenessCheck = {
  name: "owners-follow",
  check(truth) {
    for (const { set, asked } of standing(truth)) {
      const { uid, name } = set.metadata;
      for (const claim of claimsOf(truth)) {
        const { metadata } = claim;
        if (metadata.deletionTimestamp || !isNamedAfter(set, claim) || usersOf(truth, claim).length > 0) continue;
        const isTied = isControlledBy(claim, uid);
        const wasOurs = asked !== undefined || wasWritten(truth, set);
        if (fieldOf(set, "whenDeleted") === "Retain") {
          if (isTied && wasOurs) return `Claim ${metadata.name} still belongs to set ${name}, which keeps it.`;
        } else if (
          asked?.whenDeleted === "Delete" &&
          !isTied &&
          wasSeenUsedBy(truth, claim, uid) &&
          !isInDoubt(truth, claim, set)
        )
          return `Claim ${metadata.name} does not belong to set ${name}, which has used it and takes its claims along.`;
      }
    }
    return undefined;
  },
};

const wasWritten = ({ changes }: LivenessTruth, { metadata }: SetLike) =>
  changes.some((change) => isOurs(change) && change.object.metadata.uid === metadata.uid);

/**
 * Whether anybody has changed what a claim says of itself: its labels, its owners, the note on it; or it was used when
 * no check looked.
 */
function isInDoubt(truth: LivenessTruth, { metadata }: KubernetesObject, set: SetLike): boolean {
  if ((metadata.ownerReferences ?? []).length > 0 || !truth.calm) return true;
  const wanted = Object.entries(set.spec.selector.matchLabels);
  return wanted.some(([key, value]) => metadata.labels?.[key] !== value);
}

/** What we wrote on sets and their claims is there for a policy. */
const notesHaveReasons: LivenessCheck = {
  name: "notes-have-reasons",
  check(truth) {
    const left = ({ metadata }: KubernetesObject) =>
      ["sync-policy", "set-owner"].map(progressOf).filter((key) => metadata.annotations?.[key] !== undefined);
    for (const { set, asked } of standing(truth)) {
      // A claim that is going, or that another set has the name of as well, is not asked about.
      if (asked || setsEver(truth).length > 1 || !truth.calm) continue;
      const claims = claimsOf(truth).filter((claim) => isNamedAfter(set, claim) && !claim.metadata.deletionTimestamp);
      for (const object of [set, ...claims])
        if (left(object).length > 0)
          return `${object.kind} ${object.metadata.name} carries ${left(object).join(", ")}, and there is no policy.`;
    }
    return undefined;
  },
};

/** What must have come about in the end where PVC retention is installed. */
export const liveness: readonly LivenessCheck[] = [fieldsFollow, ownersFollow, notesHaveReasons];
