import { isBeingDeleted } from "../../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { type Invariant, isBy, isClaim, isOurs, type Truth } from "../../invariants/invariant.ts";
import type { Change } from "../../world/change.ts";
import { goesWithSet, isCondemned, lastMomentsOf, momentsOf, setsEver, unseen } from "../moments.ts";
import { deleteAtKey, isWanted, meansSetOrPod, ordinalOf, progressOn, type SetLike } from "../words.ts";

/** Whether the claim is asked to go with this change, or goes at once. */
const isDeletion = (change: Change): boolean =>
  isClaim(change) &&
  change.before?.metadata.deletionTimestamp === undefined &&
  (change.after === undefined || change.after.metadata.deletionTimestamp !== undefined);

/** No claim is deleted by us unless the policy in force deletes it: judged by what could be seen of it a moment ago. */
export const keepsWhatThePolicyKeeps: Invariant = {
  name: "keeps-what-the-policy-keeps",
  check(change, truth) {
    if (!isDeletion(change) || !isBy(change, "pvc-retention")) return undefined;
    const claim = change.before as KubernetesObject;
    const title = `Claim ${claim.metadata.name}`;
    const foreign = claim.metadata.ownerReferences?.find(
      (reference) => !setsEver(truth, claim).some(({ metadata }) => meansSetOrPod(metadata.name, reference)),
    );
    if (foreign) return `${title} was deleted, although ${foreign.kind} ${foreign.name} owns it.`;
    const { rule } = change.by.process;
    if (rule === "pvc-retention/grace") return graced(claim, truth);
    if (rule !== "pvc-retention/condemn") return `${title} was deleted by ${rule}.`;
    const sets = setsEver(truth, claim);
    const isRight = sets.some(({ metadata }) =>
      momentsOf(truth, metadata.name).some((moment) => moment.policy?.grace === 0 && isCondemned(moment, claim)),
    );
    return isRight ? undefined : `${title} was deleted, although the policy keeps it.`;
  },
};

function graced(claim: KubernetesObject, truth: Truth): string | undefined {
  const title = `Claim ${claim.metadata.name}`;
  const { setUid } = progressOn(claim, "grace") ?? {};
  const set = setsEver(truth, claim).find(({ metadata }) => metadata.uid === setUid);
  if (!set) return `${title} was deleted, and no set's claim was marked.`;
  const now = momentsOf(truth, set.metadata.name);
  if (now.some((moment) => moment.set?.metadata.uid === setUid && isCondemned(moment, claim))) return undefined;
  // Once the set is gone, what was in force when it went counts; nobody may have taken its name and its claims meanwhile.
  const taken = now.every(({ sets }) =>
    sets.some((one) => one.metadata.uid !== setUid && ordinalOf(one, claim.metadata.name) !== undefined),
  );
  if (taken) return `${title} was deleted although another set has it now.`;
  return lastMomentsOf(truth, set).some((moment) => goesWithSet(moment, claim))
    ? undefined
    : `${title} was deleted, although the policy keeps it.`;
}

/** A claim whose deletion was put off is not deleted by us before the time on it, nor is that time sooner than the policy says. */
export const graceIsNeverShortened: Invariant = {
  name: "grace-is-never-shortened",
  check(change, truth) {
    if (!isClaim(change) || !isBy(change, "pvc-retention")) return undefined;
    const { skew, rule } = change.by.process;
    const before = change.before?.metadata.annotations?.[deleteAtKey];
    const after = change.after?.metadata.annotations?.[deleteAtKey];
    const { name } = change.object.metadata;
    const now = change.at + skew;
    if (isDeletion(change)) {
      if (rule === "pvc-retention/grace")
        return Date.parse(before ?? "") <= now
          ? undefined
          : `Claim ${name} was deleted at ${stamp(now)}, before ${before}.`;
      const promised = progressOn(change.object, "grace")?.step === "marked" && before !== undefined;
      return promised ? `Claim ${name} was deleted at once, although it was to stay until ${before}.` : undefined;
    }
    if (after === undefined || after === before) return undefined;
    const delays = setsEver(truth, change.object).flatMap((set) =>
      momentsOf(truth, set.metadata.name).map(({ policy }) => policy?.grace ?? 0),
    );
    // What passes between the clock and the write makes it sooner.
    const soonest = Math.min(...delays.filter((delay) => delay > 0)) + now - unseen;
    return Date.parse(after) >= soonest
      ? undefined
      : `Claim ${name} is to go at ${after}, sooner than its policy says.`;
  },
};

const stamp = (time: number) => new Date(time).toISOString();

/**
 * No claim goes by the garbage collector unless a policy deletes it that was in force a while ago: Kubernetes acts on what was
 * projected last, so the rules have to come up for a change soon, and do where nothing keeps them from it.
 */
export const followsThePolicySoon: Invariant = {
  name: "follows-the-policy-soon",
  check(change, truth) {
    if (!isDeletion(change) || isOurs(change) || change.by.name === "user") return undefined;
    // With its namespace everything goes, whatever policies say.
    if (truth.chronicle.live("Namespace").some(isBeingDeleted)) return undefined;
    const claim = change.before as KubernetesObject;
    const soon = truth.calm ? 10_000 : 240_000;
    const isRight = setsEver(truth, claim).some((set) => {
      const moments = [...lastMomentsOf(truth, set), ...momentsOf(truth, set.metadata.name, soon)];
      const ordinal = ordinalOf(set, claim.metadata.name) ?? 0;
      // Where policy and replicas change in one go, that controller may see the one without the other.
      const asked = moments.some(({ policy }) => policy?.whenScaled === "Delete");
      const scaled = moments.some((moment) => moment.set && !isWanted(moment.set, ordinal));
      const goes = moments.some(
        (moment) => goesWithSet(moment, claim) || isByField(moment.set, moment.policy === undefined),
      );
      return (asked && scaled) || goes;
    });
    return isRight
      ? undefined
      : `Claim ${claim.metadata.name} was taken by Kubernetes, although its policy keeps it for long.`;
  },
};

/** Whether the claims of a set without a policy of ours are somebody else's business. */
function isByField(set: SetLike | undefined, isUnruled: boolean): boolean {
  const { whenDeleted, whenScaled } = set?.spec.persistentVolumeClaimRetentionPolicy ?? {};
  return isUnruled && (whenDeleted === "Delete" || whenScaled === "Delete");
}
