import * as z from "zod";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Namespace, PersistentVolumeClaim, Pod, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { keptBecause } from "../../../shared/retention/hands-off.ts";
import { lookAtSet, type SetAndClaims, type TemplateClaim } from "../../../shared/retention/look-at-set.ts";
import { readMark } from "../../../shared/retention/mark.ts";
import { changeOwners, controlledBy, ownersIn } from "../../../shared/retention/owner-references.ts";
import { setOfPod } from "../../../shared/retention/pod-set.ts";
import { retentionInForce, type StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { hasTraces } from "../../../shared/retention/traces.ts";
import { on, rule, type Subject } from "../../../shared/rule.ts";
import { holdfastProtection, inTreeProtection } from "../../../shared/storage/protection.ts";

/** The set with its claims; `undefined` when it is gone. Of a set that the rule leaves alone there are no claims. */
export type Facts = SetAndClaims | undefined;

const kept = "CondemnedClaimKept";
const reused = "ReplicaOnDeletedClaim";

export const condemn = rule({
  name: "pvc-retention/condemn",
  doc: "Deletes the claims of ordinals that were scaled away, where the policy says so, once their pod is out of the way.",
  settings: z.object({}),
  wakes: [on(Sets, ["update"]), on(Pod, ["delete"])],
  may: [
    { resource: Sets, verbs: ["get", "list"] },
    { resource: Namespace, verbs: ["get"] },
    { resource: PersistentVolumeClaim, verbs: ["list", "patch", "delete"] },
    { resource: Pod, verbs: ["get", "list"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [{ kind: Sets }],
  concurrency: 100,
  subjects,
  look: ({ namespace, name = "" }, { client }): Promise<Facts> =>
    lookAtSet(
      client,
      namespace,
      name,
      (set, policy) => !isBeingDeleted(set) && policy?.whenScaled === "Delete" && policy.grace === 0,
    ),
  decide,
});

function subjects({ kind, change, namespace, name, object }: Hint): readonly Subject[] {
  if (!namespace) return [];
  if (kind === "StatefulSet") {
    const concerns = !object || (hasTraces(object) && !isBeingDeleted(object));
    return change !== "delete" && concerns ? [{ kind: Sets, namespace, name }] : [];
  }
  if (kind !== "Pod" || change !== "delete") return [];
  const set = setOfPod(name, object);
  return set === undefined ? [] : [{ kind: Sets, namespace, name: set }];
}

function decide(facts: Facts): readonly Decision[] {
  // What `look` saw first may have changed while it read on: what it saw last counts.
  if (!facts || isBeingDeleted(facts.set)) return [];
  const { set, policy, claims } = facts;
  if (policy?.whenScaled !== "Delete" || policy.grace > 0) return [];
  return claims.flatMap((one) => (one.inRange ? inUse(one) : condemned(set, one)) ?? []);
}

/**
 * Nobody can see a scale-up that comes between the last read and the DELETE, and Kubernetes takes no deletion back. Its own
 * controller makes no pod on a claim that it sees being deleted, so this is a pod that was made in that very moment.
 */
function inUse({ claim, pod }: TemplateClaim): Decision | undefined {
  if (!isBeingDeleted(claim) || !pod || isBeingDeleted(pod)) return undefined;
  const note =
    `Claim ${claim.metadata.name} is being deleted, and pod ${pod.metadata.name} uses it: its data goes with the pod. ` +
    "Copy what is worth keeping, then delete the pod; the set makes it anew with a fresh claim.";
  const notice = { type: "Warning", reason: reused, action: "Condemn", note } as const;
  return { about: claim, kind: PersistentVolumeClaim, do: "tell", because: note, notice };
}

function condemned(set: StatefulSet, one: TemplateClaim): Decision | undefined {
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

function isPodOf(set: StatefulSet, pod: KubernetesObject): boolean {
  return (pod.metadata.ownerReferences ?? []).some(({ controller, uid }) => controller && uid === set.metadata.uid);
}

const lowerCase = (sentence: string) => `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
