import type { Decision } from "../../../shared/decision.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { condemnedClaimKept, isFromBefore, keepFromBefore } from "../../../shared/retention/from-before.ts";
import { keptBecause } from "../../../shared/retention/hands-off.ts";
import type { TemplateClaim } from "../../../shared/retention/look-at-set.ts";
import { readMark } from "../../../shared/retention/mark.ts";
import { changeOwners, controlledBy, ownersIn } from "../../../shared/retention/owner-references.ts";
import { isPodOf } from "../../../shared/retention/pod-set.ts";
import { retentionInForce, type StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { holdfastProtection, inTreeProtection } from "../../../shared/storage/protection.ts";

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
    const notice = { type: "Normal", reason: condemnedClaimKept, action: "Condemn", note: because } as const;
    return { ...subject, do: "tell", because, notice };
  }
  if (!pod && isFromBefore(set, claim)) return keepFromBefore(set, claim, "Condemn");
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

/** The claim as it was read, or none: another one of its name, or one that somebody has changed since, is looked at again. */
function deletionOf({ metadata: { namespace, name, uid, resourceVersion } }: KubernetesObject) {
  return { verb: "delete", kind: PersistentVolumeClaim, namespace, name, options: { uid, resourceVersion } } as const;
}

/** A claim without protection goes at once, under a pod that still writes. */
function isProtected(claim: KubernetesObject): boolean {
  return hasFinalizer(claim, inTreeProtection) || hasFinalizer(claim, holdfastProtection);
}

const lowerCase = (sentence: string) => `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
