import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { claimsOf, type End, type EndTruth, environmentOf } from "../../ends/end.ts";
import { isOurs } from "../../invariants/invariant.ts";
import { fieldOf, hasRival } from "../invariants/field.ts";
import { isCondemned, type Moment, momentsOf, setsEver, yielding } from "../moments.ts";
import { type Fates, finalizer, hasLabels, ordinalOf, progressOn, type SetLike } from "../words.ts";

type LivingMoment = Moment & { readonly set: SetLike };

/** The sets that live, as they are now. */
function standing(truth: EndTruth): readonly LivingMoment[] {
  const sets = truth.chronicle.live("StatefulSet");
  return sets.flatMap(({ metadata }) => momentsOf(truth, metadata.name, 0).slice(0, 1)) as LivingMoment[];
}

const keep: Fates = { whenDeleted: "Retain", whenScaled: "Retain" };

/** A set's own field is what its policy makes of it, unless somebody else has chosen a value; without a policy nothing of ours is in it. */
export const fieldsFollow: End = {
  name: "fields-follow",
  check(truth) {
    if (truth.scenario.setting.withoutClaimRetention) return undefined;
    const { PROJECT: extent = "whole" } = environmentOf(truth, "pvc-retention-project");
    for (const { set, policy, sets } of standing(truth)) {
      if (set.metadata.deletionTimestamp || isDisputed(truth, set)) continue;
      const asked = !policy || policy.grace > 0 || hasRival(set, sets) ? keep : policy;
      const wanted = {
        whenDeleted: extent === "whole" ? asked.whenDeleted : "Retain",
        whenScaled: extent === "off" ? "Retain" : asked.whenScaled,
      };
      const is = fieldOf(set);
      if (is.whenDeleted !== wanted.whenDeleted || is.whenScaled !== wanted.whenScaled)
        return `The field of set ${set.metadata.name} is ${is.whenDeleted}/${is.whenScaled}, not ${wanted.whenDeleted}/${wanted.whenScaled}.`;
    }
    return undefined;
  },
};

/** Whether somebody else has ever written the field of this set. */
const isDisputed = ({ changes }: EndTruth, { metadata }: SetLike) =>
  changes.some(({ by, before, after, object }) => {
    if (object.metadata.uid !== metadata.uid || by.process || !before || !after) return false;
    return JSON.stringify(fieldOf(before as SetLike)) !== JSON.stringify(fieldOf(after as SetLike));
  });

/** Our finalizer is on every set whose claims go with it, and on no other; nothing that is being deleted waits for us. */
export const finalizersHaveReasons: End = {
  name: "finalizers-have-reasons",
  check(truth) {
    for (const { set, policy } of standing(truth)) {
      const has = set.metadata.finalizers?.includes(finalizer) ?? false;
      const { name, deletionTimestamp } = set.metadata;
      if (deletionTimestamp) {
        if (has) return `Set ${name} is being deleted and still waits for us.`;
      } else if (has !== (policy?.whenDeleted === "Delete"))
        return `Set ${name} ${has ? "carries our finalizer, although its claims are kept" : "lives without our finalizer"}.`;
    }
    return undefined;
  },
};

/** Claims of a set that lives and have no pod belong to it where they are to go with it, and to nobody otherwise. */
export const ownersFollow: End = {
  name: "owners-follow",
  check(truth) {
    for (const moment of standing(truth)) {
      const { set, sets, policy } = moment;
      if (set.metadata.deletionTimestamp) continue;
      for (const claim of claimsOf(truth)) {
        if (claim.metadata.deletionTimestamp || !isOf(set, claim) || yielding(sets, claim).length > 1) continue;
        const because = problemOf(claim, moment, truth);
        if (because) return `Claim ${claim.metadata.name} ${because}, under ${policy?.name ?? "no policy"}.`;
      }
    }
    return undefined;
  },
};

const isOf = (set: SetLike, claim: KubernetesObject) =>
  ordinalOf(set, claim.metadata.name) !== undefined && hasLabels(set, claim);

function problemOf(claim: KubernetesObject, moment: LivingMoment, truth: EndTruth): string | undefined {
  const { set, policy } = moment;
  const references = claim.metadata.ownerReferences ?? [];
  const ours = references.filter(
    ({ kind, blockOwnerDeletion }) => (kind === "StatefulSet" || kind === "Pod") && blockOwnerDeletion === false,
  );
  const keeps = !policy || policy.name === "Retain" || policy.grace > 0 || policy.whenDeleted === "Retain";
  if (keeps && ours.length > 0 && !isCondemned(moment, claim)) return "still carries an owner of ours";
  if (keeps || references.some(({ controller, uid }) => controller && uid !== set.metadata.uid)) return undefined;
  const field = fieldOf(set);
  const { withoutClaimRetention: alone } = truth.scenario.setting;
  // Kubernetes' own controller looks at a claim with a pod when something of the set changes, and not before.
  const pod = `${set.metadata.name}-${ordinalOf(set, claim.metadata.name)}`;
  if (!alone && truth.chronicle.live("Pod").some(({ metadata }) => metadata.name === pod)) return undefined;
  const inForce = alone || (field.whenDeleted === policy.whenDeleted && field.whenScaled === policy.whenScaled);
  if (!inForce || isCondemned(moment, claim) || hasStale(claim, set)) return undefined;
  if (progressOn(claim, "own")?.step === "fought-over") return undefined;
  return references.some(({ uid, controller }) => controller && uid === set.metadata.uid)
    ? undefined
    : "does not belong to its set";
}

const hasStale = ({ metadata }: KubernetesObject, set: SetLike) =>
  (metadata.ownerReferences ?? []).some(
    ({ kind, name, uid }) => kind === "StatefulSet" && name === set.metadata.name && uid !== set.metadata.uid,
  );

/**
 * What we wrote on sets and claims is there for something: a policy in force, a claim that is marked or saved, an owner that was
 * given. What a user wrote there is the user's.
 */
export const tracesHaveReasons: End = {
  name: "traces-have-reasons",
  check(truth) {
    for (const { set, policy } of standing(truth)) {
      const traces = tracesOn(set, truth);
      // One that is being deleted is left alone, and takes its traces with it.
      if (!policy && !set.metadata.deletionTimestamp && traces.length > 0)
        return `Set ${set.metadata.name} has no policy and carries ${traces.join(", ")}.`;
    }
    for (const claim of claimsOf(truth)) {
      const because = claim.metadata.deletionTimestamp ? undefined : left(claim, truth);
      if (because) return `Claim ${claim.metadata.name} ${because}.`;
    }
    return undefined;
  },
};

function left(claim: KubernetesObject, truth: EndTruth): string | undefined {
  const traces = tracesOn(claim, truth);
  const [moment] = standing(truth).filter(({ set }) => isOf(set, claim));
  const keeps = moment && (!moment.policy || moment.policy.name === "Retain");
  const contested = moment && yielding(moment.sets, claim).length > 1;
  if (keeps && !contested && traces.length > 0) return `is kept and carries ${traces.join(", ")}`;
  // A time that people wrote is theirs, whatever else they wrote beside it.
  const isKnown = ["marked", "unreadable", "saved"].includes(String(progressOn(claim, "grace")?.step));
  const marked = claim.metadata.annotations?.["holdfast.dev/pvc-delete-at"] !== undefined && isKnown;
  if (moment && marked && !contested && !isCondemned(moment, claim) && !moment.set.metadata.deletionTimestamp)
    return "is marked, although its set wants it";
  const waits = claim.metadata.labels?.["holdfast.dev/waiting"] === "true" && isByUs(claim, truth, "label");
  const notes = Object.entries(claim.metadata.annotations ?? {}).filter(([key]) => key.startsWith("holdfast.dev/"));
  const due = notes.some(([, text]) => text.includes(`"next":`));
  // Whoever writes over what it waited for has the label as well.
  const isSpoilt = notes.some(([key]) => !isByUs(claim, truth, key));
  return waits && !due && !isSpoilt && setsEver(truth, claim).length > 0
    ? "is labelled as waiting, and waits for nothing"
    : undefined;
}

/** Annotations of the rules that the rules have put there. */
function tracesOn(object: KubernetesObject, truth: EndTruth): readonly string[] {
  return Object.keys(object.metadata.annotations ?? {}).filter(
    (key) => key.startsWith("holdfast.dev/pvc-retention.") && isByUs(object, truth, key),
  );
}

/** Whether what an annotation says now, or that there is the label, was written by us. */
function isByUs({ metadata }: KubernetesObject, { changes }: EndTruth, key: string): boolean {
  const valueIn = (object: KubernetesObject | undefined) =>
    key === "label" ? object?.metadata.labels?.["holdfast.dev/waiting"] : object?.metadata.annotations?.[key];
  const value = key === "label" ? "true" : metadata.annotations?.[key];
  const writer = changes.findLast(
    ({ object, before, after }) =>
      object.metadata.uid === metadata.uid && valueIn(after) === value && valueIn(before) !== value,
  );
  return writer !== undefined && isOurs(writer);
}
