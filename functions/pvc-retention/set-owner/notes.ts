import type { Wait, WriteStep } from "../../../shared/decision.ts";
import { PersistentVolumeClaim, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import { mergeChanges } from "../../../shared/kubernetes/merge-changes.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { progressKey, readProgress } from "../../../shared/progress.ts";
import { checkLabel } from "../lib/check-label.ts";
import { deletesWithSet, projectingRule, readPolicy } from "../lib/policy.ts";
import { retentionOf, type StatefulSet } from "../lib/stateful-set.ts";
import { labelsFor } from "../lib/template-claims.ts";

export const name = "pvc-retention/set-owner";

/** Whether Holdfast's policy is in force for the set: `sync-policy` notes it there, also if the field was changed. */
export const hasPolicy = (set: KubernetesObject): boolean => readProgress(set, projectingRule) !== undefined;

/** The write that has the sweep ask for the set each time, or no more. */
const checkAtSweeps = (set: StatefulSet, isChecked: boolean): readonly Write[] =>
  mergeChanges(Sets, set, { labels: { [checkLabel]: isChecked ? "true" : null } });

/** Whether the label was removed when there was nothing to check. A tool that sets it again is not fought. */
const isLabelRemoved = (set: StatefulSet): boolean => readProgress(set, name)?.label === "removed";

/** The write without a policy: then nothing of this rule stays on the set. */
export const endChecks = (set: StatefulSet): readonly Write[] => (isLabelRemoved(set) ? [] : checkAtSweeps(set, false));

/**
 * Whether claims without a pod go with the set: the field alone, which may be another manager's, is not enough. An
 * annotation that keeps them, of the set or of its namespace, counts as soon as it is there, and before `sync-policy`
 * has noted it.
 */
export const takesAlong = (set: StatefulSet, home: KubernetesObject | undefined): boolean =>
  retentionOf(set).whenDeleted === "Delete" &&
  deletesWithSet(readProgress(set, projectingRule)?.policy) &&
  readPolicy(set, home)?.whenDeleted !== "Retain";

/** Whether this rule has written anything on the object that it may have to remove. */
export const hasNote = ({ metadata }: KubernetesObject): boolean =>
  metadata.annotations?.[progressKey(name)] !== undefined;

/** For so long the sweep looks for a tie that is carried out after its caller has given it up. Milliseconds. */
const lateness = 600_000;

/** When a claim was last to be tied to the set, as it is noted, unless that is `longest` ago. Milliseconds. */
export function lastTie(set: StatefulSet, now: number, longest = lateness): string | undefined {
  const tied = String(readProgress(set, name)?.tied);
  return now - Date.parse(tied) < longest ? tied : undefined;
}

/**
 * What is noted of a tie that is sent now. Where ties are refused each look sends one, and each note comes back as an
 * event, so that the time is not written again at once.
 */
export const tieNow = (set: StatefulSet, now: number): string =>
  lastTie(set, now, lateness / 2) ?? new Date(now).toISOString();

/** Whether the claims of the set follow what it says, as far as an event of it shows: most of its updates end here. */
export function isFollowed(set: StatefulSet): boolean {
  const note = readProgress(set, name);
  if (!hasPolicy(set)) return !hasNote(set);
  // A tool has removed the label: without it no sweep would look at the claims again.
  if (note?.checked === true && set.metadata.labels?.[checkLabel] !== "true") return false;
  return (
    note?.step === "followed" && Object.entries(followedBy(set, undefined)).every(([key, value]) => note[key] === value)
  );
}

/**
 * Notes on the set what its claims follow, and with how many pods it was looked at: with every new one there may be a
 * claim to be noted. While claims are being `changed` another step is noted, which comes back as an event of the set
 * and has it looked at once more. `tied`: when claims were last to be tied, if that may still be carried out.
 */
export function noteFollowing(
  { set, home }: { readonly set: StatefulSet; readonly home: KubernetesObject | undefined },
  changed: boolean,
  hasTies: boolean,
  tied: string | undefined,
): Wait | WriteStep {
  const isChecked = hasTies || tied !== undefined;
  const { whenDeleted } = retentionOf(set);
  const message =
    `The claims of StatefulSet ${set.metadata.name} ${changed ? "are made to follow" : "follow"} whenDeleted: ` +
    `${whenDeleted}.`;
  const writes = isChecked || !isLabelRemoved(set) ? checkAtSweeps(set, isChecked) : [];
  const isRemoved = !isChecked && (writes.length > 0 || isLabelRemoved(set));
  const details = {
    ...followedBy(set, home),
    checked: isChecked || undefined,
    tied,
    ...(isRemoved ? { label: "removed" } : {}),
  };
  const step = { name: changed ? "changing" : "followed", details };
  const decision = { about: set, kind: Sets, message, step };
  return writes.length > 0 ? { ...decision, do: "write", writes } : { ...decision, do: "wait" };
}

/** What claims follow; the policy is named only where it keeps what the field deletes. */
function followedBy(set: StatefulSet, home: KubernetesObject | undefined) {
  const { whenDeleted } = retentionOf(set);
  const replicas = (set.status as { replicas?: number } | undefined)?.replicas ?? 0;
  return { whenDeleted, replicas, policy: whenDeleted === "Delete" && !takesAlong(set, home) ? "keeps" : undefined };
}

/** The uid of the set that the claim has the note of, that a pod of it has used it; a copy's names another claim. */
export const userOf = (claim: KubernetesObject): unknown => readProgress(claim, name)?.set;

/** Whether the claim has the note that a pod of this very set has used it. */
export const isUsedBy = (claim: KubernetesObject, { metadata }: StatefulSet): boolean => userOf(claim) === metadata.uid;

/** Whether people have taken the claim out of the set: by its labels, or by those that it had when the set used it. */
export function isTakenOut(claim: KubernetesObject, set: StatefulSet): boolean {
  const labels = labelsFor(set, claim);
  return labels === "differ" || (labels === "lack" && readProgress(claim, name)?.labels === "match");
}

/** Notes on a claim that a pod of the set uses it. */
export function noteUse(claim: KubernetesObject, set: StatefulSet) {
  const message = `StatefulSet ${set.metadata.name} uses claim ${claim.metadata.name}.`;
  const step = { name: "used", details: { set: set.metadata.uid, labels: labelsFor(set, claim) } };
  return { about: claim, kind: PersistentVolumeClaim, do: "wait", message, step } as const satisfies Wait;
}

/** What writes that note by hand, for a claim that the set has used before anybody noted it. */
export function commandToNote({ metadata }: KubernetesObject, set: StatefulSet): string {
  const since = metadata.creationTimestamp ?? "";
  const note = { v: 1, uid: metadata.uid, step: "used", since, because: "By hand.", set: set.metadata.uid };
  const annotation = `${progressKey(name)}=${JSON.stringify(note)}`;
  return `\`kubectl annotate pvc -n ${metadata.namespace} ${metadata.name} --overwrite '${annotation}'\``;
}
