import type { Decision, Step } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { labelFor, nextProgress, progressKey } from "../../../shared/progress.ts";
import { type Cause, type Mark, markingRule } from "../../../shared/retention/mark.ts";
import type { Policy } from "../../../shared/retention/policy.ts";
import { deleteAtKey } from "../../../shared/retention/traces.ts";
import { warnings } from "../../../shared/retention/warnings.ts";

const { scheduled, unreadable, postponed } = warnings[markingRule];
const key = progressKey(markingRule);

/** Marks a claim with the time of its deletion, and says on it how to save it: one patch, so that neither is there alone. */
export function mark(
  claim: KubernetesObject,
  set: KubernetesObject,
  { grace, name: policy }: Policy,
  cause: Cause,
  now: number,
): Decision {
  const due = Math.ceil((now + grace) / 1000) * 1000;
  const time = timeOf(due);
  const why = cause === "scaled-down" ? "was scaled down" : "is being deleted";
  const because =
    `Claim ${claim.metadata.name} is deleted at ${time}, because StatefulSet ${set.metadata.name} ${why}. ` +
    `To keep it: kubectl annotate pvc ${claim.metadata.name}${inNamespace(claim)} ${deleteAtKey}-`;
  const text = nextProgress(
    claim,
    markingRule,
    stepOf({
      step: "marked",
      set: set.metadata.name,
      setUid: set.metadata.uid,
      cause,
      policy,
      generation: set.metadata.generation,
    }),
    because,
    now,
    due,
  );
  const annotations = { [deleteAtKey]: time, ...(text === undefined ? {} : { [key]: text }) };
  const writes = [annotate(PersistentVolumeClaim, claim, annotations, labelFor(claim, markingRule, due))];
  const notice = { type: "Warning", reason: scheduled, action: "Mark", note: because } as const;
  return { about: claim, kind: PersistentVolumeClaim, do: "write", because, writes, notice };
}

/** Takes a mark away, with all that was written down about it. `why`: the end of a sentence. */
export function withdraw(claim: KubernetesObject, why: string): Decision {
  const because = `Claim ${claim.metadata.name} is not to be deleted any more, because ${why}.`;
  const labels = labelFor(claim, markingRule, undefined);
  const writes = [annotate(PersistentVolumeClaim, claim, { [deleteAtKey]: null, [key]: null }, labels)];
  const notice = { type: "Normal", reason: "DeletionCalledOff", action: "Mark", note: because } as const;
  const retract = [scheduled, unreadable, postponed];
  return { about: claim, kind: PersistentVolumeClaim, do: "write", because, writes, notice, retract };
}

/** Somebody took the mark away: that is remembered, or the claim would be marked anew. */
export function save(claim: KubernetesObject, known: Omit<Mark, "progress">): Decision {
  const because =
    `The time of its deletion was taken off claim ${claim.metadata.name}: it is kept until it is used again or the policy of ` +
    `StatefulSet ${known.set} changes. Delete it by hand if nobody needs it.`;
  const notice = { type: "Normal", reason: "ClaimSaved", action: "Mark", note: because } as const;
  const step = stepOf({ ...known, step: "saved" });
  const retract = [scheduled, unreadable, postponed];
  return { about: claim, kind: PersistentVolumeClaim, do: "wait", because, step, notice, retract };
}

/** Brings what is written down to the time that stands on the claim, which people may move. */
export function settle(claim: KubernetesObject, known: Omit<Mark, "progress">, due: number): Decision {
  const because = `Claim ${claim.metadata.name} is deleted at ${timeOf(due)}, unless ${deleteAtKey} is taken off it.`;
  const retract = known.step === "unreadable" ? [unreadable] : [];
  const step = stepOf({ ...known, step: "marked" });
  return { about: claim, kind: PersistentVolumeClaim, do: "wait", because, step, next: due, retract };
}

/** A time that cannot be read deletes nothing. */
export function tellUnreadable(claim: KubernetesObject, known: Omit<Mark, "progress">): Decision {
  const because =
    `${deleteAtKey} of claim ${claim.metadata.name} is no time such as 2030-01-31T12:00:00Z: the claim is kept until it is. ` +
    "Take the annotation off to keep the claim for good.";
  const notice = { type: "Warning", reason: unreadable, action: "Mark", note: because } as const;
  const step = stepOf({ ...known, step: "unreadable" });
  return { about: claim, kind: PersistentVolumeClaim, do: "wait", because, step, notice };
}

/** The time has come, and a pod names the claim: it waits for the pod, and the sweep comes again. */
export function postpone(claim: KubernetesObject, pod: string): Decision {
  const because = `Claim ${claim.metadata.name} was to be deleted, but pod ${pod} uses it; it goes when the pod is gone.`;
  const notice = { type: "Normal", reason: postponed, action: "Delete", note: because } as const;
  return { about: claim, kind: PersistentVolumeClaim, do: "tell", because, notice };
}

/** Deletes the claim as it was read, or none. */
export function remove(claim: KubernetesObject): Decision {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const because = `Claim ${name} is deleted: the time that was marked on it has come, and its policy still says so.`;
  const deletion = {
    verb: "delete",
    kind: PersistentVolumeClaim,
    namespace,
    name,
    options: { uid, resourceVersion },
  } as const;
  return {
    about: claim,
    kind: PersistentVolumeClaim,
    do: "write",
    because,
    writes: [deletion],
    retract: [scheduled, postponed],
  };
}

function stepOf({ step: name, set, setUid, cause, policy, generation }: Omit<Mark, "progress">): Step {
  return { name, details: { set, setUid, cause, policy, ...(generation === undefined ? {} : { generation }) } };
}

/** Whole seconds, as Kubernetes writes its times. */
const timeOf = (time: number) => new Date(time).toISOString().replace(".000Z", "Z");

const inNamespace = ({ metadata }: KubernetesObject) => (metadata.namespace ? ` -n ${metadata.namespace}` : "");
