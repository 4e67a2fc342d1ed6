import type { KubernetesObject, OwnerReference } from "../../../../shared/kubernetes/object.ts";
import { type Invariant, isBy, isClaim, type Truth } from "../../invariants/invariant.ts";
import { goesWithSet, isCondemned, type Moment, momentsOf, setsEver, unseen, yielding } from "../moments.ts";
import { deleteAtKey, meansSetOrPod, ordinalOf } from "../words.ts";
import { fieldOf } from "./field.ts";

const ownersOf = (claim: KubernetesObject | undefined) => claim?.metadata.ownerReferences ?? [];
const key = (reference: OwnerReference) => JSON.stringify(reference);
const missing = (from: KubernetesObject | undefined, to: KubernetesObject | undefined) =>
  ownersOf(from).filter((one) => !ownersOf(to).some((other) => key(one) === key(other)));

/** References that users have put on a claim are never touched by us: only such as name a set that yields the claim, or its pods, are. */
export const sparesUsersReferences: Invariant = {
  name: "spares-users-references",
  check(change, truth) {
    const { before, after } = change;
    if (!isClaim(change) || !isBy(change, "pvc-retention") || !before || !after) return undefined;
    const sets = setsEver(truth, before);
    const taken = missing(before, after).find(
      (reference) => !sets.some(({ metadata }) => meansSetOrPod(metadata.name, reference)),
    );
    return taken && `Claim ${before.metadata.name} lost its owner ${taken.kind} ${taken.name} by our write.`;
  },
};

/**
 * While the set lives, what Kubernetes' own controller has put on a claim with a pod is its own business where it knows the field;
 * so it is on one without, while the field says so.
 */
export const sparesKubernetesReferences: Invariant = {
  name: "spares-kubernetes-references",
  check(change, truth) {
    const { before, after } = change;
    if (!isClaim(change) || !isBy(change, "pvc-retention") || !before || !after) return undefined;
    if (truth.scenario.setting.withoutClaimRetention || isBy(change, "pvc-retention/bequeath")) return undefined;
    const taken = missing(before, after).find(({ blockOwnerDeletion }) => blockOwnerDeletion);
    // A claim without a pod is looked after by own: a reference that is left on it is replaced.
    if (!taken || (isBy(change, "pvc-retention/own") && taken.kind === "Pod")) return undefined;
    const isAbandoned = setsEver(truth, before).some((set) => {
      const pod = `${set.metadata.name}-${ordinalOf(set, before.metadata.name)}`;
      const hasPod = truth.chronicle.live("Pod").some(({ metadata }) => metadata.name === pod);
      return (
        !hasPod && momentsOf(truth, set.metadata.name).some((moment) => fieldOf(moment.set).whenDeleted === "Retain")
      );
    });
    if (isAbandoned) return undefined;
    return `Claim ${before.metadata.name} lost its owner ${taken.kind} ${taken.name}, which Kubernetes has put there.`;
  },
};

/** A reference of ours names a set or a pod that there is, one that yields the claim, and only while the policy asks for it. */
export const referencesAreRight: Invariant = {
  name: "references-are-right",
  check(change, truth) {
    const { before, after } = change;
    if (!isClaim(change) || !isBy(change, "pvc-retention") || !before || !after) return undefined;
    for (const reference of missing(after, before)) {
      const because = problemOf(reference, after, truth);
      if (because) return `Claim ${after.metadata.name} was given to ${reference.kind} ${reference.name}, ${because}.`;
    }
    return undefined;
  },
};

function problemOf(reference: OwnerReference, claim: KubernetesObject, truth: Truth): string | undefined {
  const { kind, name, uid, controller, blockOwnerDeletion } = reference;
  if (controller !== true || blockOwnerDeletion !== false) return "and the reference does not look like ours";
  const others = ownersOf(claim).filter((other) => other.controller && key(other) !== key(reference));
  if (others.length > 0) return "although something else controls it";
  const sets = setsEver(truth, claim).filter(({ metadata }) => meansSetOrPod(metadata.name, reference));
  if (sets.length === 0) return "which does not yield its name";
  const now = truth.changes.at(-1)?.at ?? 0;
  const last = truth.changes.findLast(({ object }) => object.kind === kind && object.metadata.uid === uid);
  if (!last || (!last.after && last.at < now - unseen)) return "which is not there";
  const set = sets.find(({ metadata }) => kind === "Pod" || metadata.uid === uid) ?? sets[0];
  if (!set) return "which is no set";
  if (kind === "Pod" && name !== `${set.metadata.name}-${ordinalOf(set, claim.metadata.name)}`)
    return "which has another ordinal";
  const asks = kind === "Pod" ? isCondemned : staysOrGoesWithSet;
  const isAsked = momentsOf(truth, set.metadata.name).some(
    (moment) =>
      moment.policy?.grace === 0 && asks(moment, claim) && (kind === "Pod" || moment.set?.metadata.uid === uid),
  );
  return isAsked ? undefined : "although no policy asks for it";
}

/** A claim that is condemned for good reason goes with its pod, not with the set, while that lives. */
function staysOrGoesWithSet(moment: Moment, claim: KubernetesObject): boolean {
  const { set } = moment;
  if (!set || !goesWithSet(moment, claim)) return false;
  return set.metadata.deletionTimestamp !== undefined || !isCondemned(moment, claim);
}

/** A claim that two sets yield is neither deleted nor given to anybody nor marked by us. */
export const contestedIsLeftAlone: Invariant = {
  name: "contested-is-left-alone",
  check(change, truth) {
    if (!isClaim(change) || !isBy(change, "pvc-retention")) return undefined;
    const { before, after, object } = change;
    const [some] = setsEver(truth, object);
    if (!some) return `Claim ${object.metadata.name} was written by us, although no set yields it.`;
    const isContested = momentsOf(truth, some.metadata.name).every(({ sets }) => yielding(sets, object).length > 1);
    if (!isContested) return undefined;
    const marked = after?.metadata.annotations?.[deleteAtKey];
    const isMarked = marked !== undefined && before?.metadata.annotations?.[deleteAtKey] !== marked;
    const isDeleted = !after || (after.metadata.deletionTimestamp && !before?.metadata.deletionTimestamp);
    const touched = isMarked || isDeleted || missing(after, before).length > 0;
    return touched ? `Claim ${object.metadata.name} was touched by us, although two sets yield it.` : undefined;
  },
};
