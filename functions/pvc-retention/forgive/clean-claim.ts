import type { Decision } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { annotationOperations, escapePointer } from "../../../shared/kubernetes/guarded-patch.ts";
import { PersistentVolumeClaim, Pod, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { labelFor, progressKey, waitingLabel } from "../../../shared/progress.ts";
import type { TemplateClaim } from "../../../shared/retention/look-at-set.ts";
import { markingRule } from "../../../shared/retention/mark.ts";
import { changeOwners, isLeftBehind, isOurs } from "../../../shared/retention/owner-references.ts";
import type { Policy } from "../../../shared/retention/policy.ts";
import { podName, type StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { deleteAtKey, isRetentionProgress } from "../../../shared/retention/traces.ts";
import { warnings } from "../../../shared/retention/warnings.ts";

/** Takes what is ours off a claim; `undefined` when nothing is, or when nothing helps any more. */
export function cleanClaim(set: StatefulSet, one: TemplateClaim, policy: Policy | undefined): Decision | undefined {
  const { claim, rival } = one;
  if (rival || isBeingDeleted(claim)) return undefined;
  const references = (claim.metadata.ownerReferences ?? []).filter((reference) => isToGo(reference, set, one));
  const keys = tracesOn(claim);
  if (references.length === 0 && keys.length === 0) return undefined;
  const cause = policy ? "is to keep all its claims" : "has no policy any more";
  const because = `Claim ${claim.metadata.name} is kept: StatefulSet ${set.metadata.name} ${cause}.`;
  const also = [
    ...annotationOperations(claim, Object.fromEntries(keys.map((key) => [key, null]))),
    ...unlabel(claim, keys),
  ];
  return {
    about: claim,
    kind: PersistentVolumeClaim,
    do: "write",
    because,
    writes: [changeOwners(claim, references, undefined, also)],
    // Whoever was told that the claim goes is told that it stays.
    ...(keys.includes(deleteAtKey)
      ? { notice: { type: "Normal", reason: "ClaimKept", action: "Forgive", note: because } }
      : {}),
    retract: warnedBy(keys),
  };
}

/** What the rules may have told that wrote down these. */
function warnedBy(keys: readonly string[]) {
  return Object.entries(warnings)
    .filter(([rule]) => keys.includes(progressKey(rule)))
    .flatMap(([rule, told]) => Object.values(told).map((reason) => ({ rule, reason })));
}

/**
 * A reference of ours to this very set, or to a pod of its naming scheme; one that Kubernetes' own controller has left behind. A pod that is gone counts: the garbage collector is
 * about to delete the claim for its sake, and leaves it when the reference goes first. One to another set of this name was
 * put on for that set's sake.
 */
function isToGo(reference: OwnerReference, set: StatefulSet, { ordinal, pod }: TemplateClaim): boolean {
  if (isLeftBehind(reference, set, pod)) return true;
  if (!isOurs(reference)) return false;
  const { apiVersion, kind, name, uid } = reference;
  if (kind === Sets.kind) return apiVersion === Sets.apiVersion && uid === set.metadata.uid;
  return apiVersion === Pod.apiVersion && name === podName(set, ordinal);
}

/** Progress of the rules, and the mark that one of them has set; a mark without is somebody's own note. */
function tracesOn({ metadata }: KubernetesObject): readonly string[] {
  const keys = Object.keys(metadata.annotations ?? {});
  const progress = keys.filter(isRetentionProgress);
  const marked = progress.includes(progressKey(markingRule)) && keys.includes(deleteAtKey);
  return marked ? [...progress, deleteAtKey] : progress;
}

/** The label is shared: it goes when no other rule waits for anything. */
function unlabel({ metadata, ...claim }: KubernetesObject, keys: readonly string[]): readonly object[] {
  const rest = Object.entries(metadata.annotations ?? {}).filter(([key]) => !keys.includes(key));
  const without = { ...claim, metadata: { ...metadata, annotations: Object.fromEntries(rest) } } as KubernetesObject;
  const gone = labelFor(without, "", undefined)?.[waitingLabel] === null;
  return gone ? [{ op: "remove", path: `/metadata/labels/${escapePointer(waitingLabel)}` }] : [];
}
