import type { Decision } from "../../../shared/decision.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readProgress } from "../../../shared/progress.ts";
import { keptBecause } from "../../../shared/retention/hands-off.ts";
import type { TemplateClaim } from "../../../shared/retention/look-at-set.ts";
import { readMark } from "../../../shared/retention/mark.ts";
import { changeOwners, controlledBy, ownersIn } from "../../../shared/retention/owner-references.ts";
import { retentionInForce, type StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { holdfastProtection, inTreeProtection } from "../../../shared/storage/protection.ts";
import { name } from "./name.ts";

const kept = "CondemnedClaimKept";
/** The step on a claim that was there before its set, once a pod of the set was seen on it. */
const used = "used";

export function condemned(set: StatefulSet, one: TemplateClaim): Decision | undefined {
  const { claim, pod } = one;
  // Grace has promised a time for this claim, or somebody has saved it.
  if (isBeingDeleted(claim) || readMark(claim)) return undefined;
  const subject = { about: claim, kind: PersistentVolumeClaim };
  const title = `Claim ${claim.metadata.name}`;
  const owners = ownersIn(set, one);
  const reason = keptBecause(one, owners);
  if (reason) {
    // Of a stale reference the garbage collector takes care.
    if (owners.stale) return { ...subject, do: "leave", because: reason };
    const because = `StatefulSet ${set.metadata.name} was scaled down, but ${lowerCase(reason)} Delete it by hand if nobody needs it.`;
    const notice = { type: "Normal", reason: kept, action: "Condemn", note: because } as const;
    return { ...subject, do: "tell", because, notice };
  }
  if (!pod && isFromBefore(set, claim)) {
    const because =
      `${title} is older than StatefulSet ${set.metadata.name}, and nothing shows that the set has ever used it: it may be what an ` +
      "earlier set of the name was to leave, and is kept. Delete it by hand if nobody needs it.";
    const notice = { type: "Normal", reason: kept, action: "Condemn", note: because } as const;
    return { ...subject, do: "tell", because, notice };
  }
  if (!pod) {
    const because = `${title} is deleted: StatefulSet ${set.metadata.name} was scaled down, its pod is gone, and the policy keeps nothing then.`;
    return { ...subject, do: "write", because, writes: [deletionOf(claim)], retract: [] };
  }
  const inForce = retentionInForce(set);
  if (inForce?.whenScaled === "Delete")
    return { ...subject, do: "wait", because: `${title} goes with pod ${pod.metadata.name}, as Kubernetes sees to.` };
  if (isBeingDeleted(pod) && isProtected(claim)) {
    const because =
      `${title} is deleted while pod ${pod.metadata.name}, which was scaled away, terminates: ` +
      "a scale-up right behind it then waits for a fresh claim, and protection keeps this one until the pod is gone.";
    return { ...subject, do: "write", because, writes: [deletionOf(claim)] };
  }
  if (!inForce && !owners.pod && isPodOf(set, pod)) {
    const because = `${title} is given to pod ${pod.metadata.name}, which was scaled away, and goes with it.`;
    const reference = controlledBy(Pod, pod.metadata);
    return {
      ...subject,
      do: "write",
      because,
      writes: [changeOwners(claim, owners.set ? [owners.set] : [], reference)],
    };
  }
  return { ...subject, do: "wait", because: `${title} goes when pod ${pod.metadata.name} is gone.` };
}

/**
 * Notes on a claim that was there before its set that the set uses it. A set that is made anew, with fewer replicas than the one
 * before it had, was never scaled down: what that one left with a policy that keeps claims when the set is deleted stays.
 */
export function noteUse(set: StatefulSet, { claim, pod, rival }: TemplateClaim): Decision | undefined {
  if (rival || isBeingDeleted(claim) || !isFromBefore(set, claim) || !pod || !isPodOf(set, pod)) return undefined;
  const because = `StatefulSet ${set.metadata.name} uses claim ${claim.metadata.name}, which was there before it.`;
  const step = { name: used, details: { setUid: set.metadata.uid } };
  return { about: claim, kind: PersistentVolumeClaim, do: "wait", because, step };
}

/** Whether the claim is older than the set, and no pod of the set was seen on it. */
function isFromBefore(set: StatefulSet, claim: KubernetesObject): boolean {
  const [older, younger] = [claim, set].map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? ""));
  return Number(older) < Number(younger) && readProgress(claim, name)?.setUid !== set.metadata.uid;
}

/** The claim as it was read, or none: another one of its name, or one that somebody has changed since, is looked at again. */
function deletionOf({ metadata: { namespace, name, uid, resourceVersion } }: KubernetesObject) {
  return { verb: "delete", kind: PersistentVolumeClaim, namespace, name, options: { uid, resourceVersion } } as const;
}

/** A claim without protection goes at once, under a pod that still writes. */
function isProtected(claim: KubernetesObject): boolean {
  return hasFinalizer(claim, inTreeProtection) || hasFinalizer(claim, holdfastProtection);
}

function isPodOf(set: StatefulSet, pod: KubernetesObject): boolean {
  return (pod.metadata.ownerReferences ?? []).some(({ controller, uid }) => controller && uid === set.metadata.uid);
}

const lowerCase = (sentence: string) => `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
