import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { claimsOf, type End, type EndTruth } from "../../ends/end.ts";
import { goesWithSet, isCondemned, lastMomentsOf, type Moment, momentsOf, setsEver } from "../moments.ts";
import { deleteAtKey, finalizer, meansSetOrPod, ordinalOf, progressOn, type SetLike } from "../words.ts";

/** No claim is left of a replica that was scaled away, where the policy deletes it: unless it is marked, saved, or somebody else's. */
export const condemnedClaimsGo: End = {
  name: "condemned-claims-go",
  check(truth) {
    for (const claim of claimsOf(truth)) {
      const sets = setsEver(truth, claim).filter((set) => lives(truth, set));
      const [set] = sets;
      const [moment] = set ? momentsOf(truth, set.metadata.name, 0) : [];
      if (!set || !moment || !isCondemned(moment, claim) || hasOwner(claim, set)) continue;
      if (claim.metadata.deletionTimestamp) {
        if (isUsed(truth, claim)) continue;
        return `Claim ${claim.metadata.name} is being deleted and does not go.`;
      }
      const said = progressOn(claim, "grace")?.step;
      if (said === "saved" || isMarked(claim) || isUsed(truth, claim)) continue;
      // What was there before the set, which was not seen to use it, may be what an earlier one was to leave.
      if (isOlder(claim, set) && isTold(truth, claim, "CondemnedClaimKept", "Normal")) continue;
      return `Claim ${claim.metadata.name} is left, although its replica was scaled away.`;
    }
    return undefined;
  },
};

/** A claim that is marked with a time goes then, or is not marked any more; some times are further off than any run lasts. */
export const marksComeDue: End = {
  name: "marks-come-due",
  check(truth) {
    const soon = (truth.changes.at(-1)?.at ?? 0) + 900_000;
    const [left] = claimsOf(truth).filter(
      (claim) => isMarked(claim) && !isUsed(truth, claim) && !claim.metadata.deletionTimestamp && dueTime(claim) < soon,
    );
    return (
      left &&
      `Claim ${left.metadata.name} is marked to go at ${left.metadata.annotations?.[deleteAtKey]}, and is there.`
    );
  },
};

const dueTime = ({ metadata }: KubernetesObject) => Date.parse(metadata.annotations?.[deleteAtKey] ?? "");
const isOlder = (one: KubernetesObject, other: KubernetesObject) =>
  Date.parse(one.metadata.creationTimestamp ?? "") < Date.parse(other.metadata.creationTimestamp ?? "");
const isMarked = (claim: KubernetesObject) => progressOn(claim, "grace")?.step === "marked";

/** Where a set was deleted with its pods, and its policy then said so and had said so for a while, none of its claims is left. */
export const claimsGoWithTheirSet: End = {
  name: "claims-go-with-their-set",
  check(truth) {
    for (const claim of claimsOf(truth)) {
      const sets = setsEver(truth, claim);
      const set = sets.at(-1);
      if (!set || sets.some((one) => lives(truth, one)) || hasOwner(claim, set)) continue;
      const moments = lastMomentsOf(truth, set).filter((moment) => moment.set);
      if (!truth.calm || !isDoomed(truth, set, moments, claim)) continue;
      if (!isMarked(claim) && !wasSaved(truth, claim) && !isUsed(truth, claim))
        return `Claim ${claim.metadata.name} is left, although its set was deleted and its policy deletes it.`;
    }
    return undefined;
  },
};

function isDoomed(truth: EndTruth, set: SetLike, moments: readonly Moment[], claim: KubernetesObject): boolean {
  const asked = truth.changes.find(
    ({ object, after }) => object.metadata.uid === set.metadata.uid && after?.metadata.deletionTimestamp,
  );
  const created = truth.changes.find(({ object }) => object.metadata.uid === claim.metadata.uid);
  if (!asked || !created || created.at > asked.at || !asked.before?.metadata.finalizers?.includes(finalizer))
    return false;
  const since = truth.changes.filter(({ object, at }) => object.metadata.uid === set.metadata.uid && at >= asked.at);
  const orphans = since.some(({ object }) => object.metadata.finalizers?.includes("orphan"));
  // What was made in the second of the deletion proves nothing, and a set that has just come has nothing older.
  const came = truth.changes.find(({ object }) => object.metadata.uid === set.metadata.uid);
  // A foreground deletion may be over before anybody has seen it: then the claims are kept, and people are told.
  const isQuick = asked.after?.metadata.finalizers?.includes("foregroundDeletion") && isTold(truth, set, "ClaimsKept");
  if (orphans || isQuick || asked.at - (came?.at ?? 0) < 2_500) return false;
  return moments.every((moment) => goesWithSet(moment, claim));
}

const wasSaved = ({ changes }: EndTruth, { metadata }: KubernetesObject) =>
  changes.some(({ object }) => object.metadata.uid === metadata.uid && progressOn(object, "grace")?.step === "saved");

/** Where nothing went wrong every replica that a set wants runs in the end, with a claim that is not about to go. */
export const replicasRun: End = {
  name: "replicas-run",
  check(truth) {
    if (!truth.calm) return undefined;
    const sets = truth.chronicle.live("StatefulSet") as readonly SetLike[];
    for (const set of sets) {
      const { replicas = 1 } = set.spec;
      const { readyReplicas = 0 } = (set.status ?? {}) as { readyReplicas?: number };
      if (readyReplicas !== replicas) return `Set ${set.metadata.name} has ${readyReplicas} of ${replicas} replicas.`;
    }
    const doomed = claimsOf(truth).find(
      (claim) =>
        claim.metadata.deletionTimestamp &&
        sets.some((set) => ordinalOf(set, claim.metadata.name) !== undefined) &&
        isUsed(truth, claim) &&
        !isTold(truth, claim, "ReplicaOnDeletedClaim"),
    );
    return doomed && `A pod runs with claim ${doomed.metadata.name}, which is being deleted, and nobody was told.`;
  },
};

/**
 * Nobody can see a scale-up that comes between the last read and the deletion, and Kubernetes takes none back: then people are told,
 * who still can copy what is in the volume.
 */
const isTold = ({ chronicle }: EndTruth, { metadata }: KubernetesObject, told: string, as = "Warning") =>
  (chronicle.live("Event") as readonly EventLike[]).some(
    ({ reason, type, involvedObject }) => reason === told && type === as && involvedObject.uid === metadata.uid,
  );

/** Events are stored in the form of the core group. */
type EventLike = KubernetesObject & { reason: string; type: string; involvedObject: { uid: string } };

const lives = ({ chronicle }: EndTruth, { metadata }: SetLike) =>
  chronicle.live("StatefulSet").some((live) => live.metadata.uid === metadata.uid);

/** Whether something other than the set and its pods owns the claim; a reference to what was before is for the garbage collector. */
const hasOwner = ({ metadata }: KubernetesObject, set: SetLike) =>
  (metadata.ownerReferences ?? []).some(
    (reference) => !meansSetOrPod(set.metadata.name, reference) || reference.kind === "Pod",
  );

function podsOf({ chronicle }: EndTruth, { metadata }: KubernetesObject) {
  return chronicle.live("Pod").filter(({ spec }) => {
    const { volumes = [] } = spec as { volumes?: { persistentVolumeClaim?: { claimName: string } }[] };
    return volumes.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === metadata.name);
  });
}

const isUsed = (truth: EndTruth, claim: KubernetesObject) => podsOf(truth, claim).length > 0;
