import type { Decision } from "../../../shared/decision.ts";
import { readDuration } from "../../../shared/duration.ts";
import { addFinalizers, hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Namespace } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { type Claim, offerGuard as guard, type Volume } from "../../../shared/storage/volume.ts";
import { type Note, namesItsClaim, offerKey, readNote, reclaimAtKey, reclaimTime, timeOf, write } from "../lib/note.ts";

/** On a namespace: the uid of the one of its name before it, whose volumes are its own. Nobody knows it who could not see them. */
const successorKey = "holdfast.dev/successor-of";
/** On a volume that the controller bound: when a claim finds another volume it is Available to all; without it, reserved as before. */
const boundByController = "pv.kubernetes.io/bound-by-controller";

/** The noted volumes of one namespace, and the claims there are, which were read after them. */
export interface Facts {
  /** Read last; `undefined`: it is gone. */
  readonly namespace: KubernetesObject | undefined;
  /** It was being deleted already before all else was read: whoever offers after that has read the volumes in vain. */
  readonly isEnding: boolean;
  readonly volumes: readonly Volume[];
  /** By name. */
  readonly claims: ReadonlyMap<string, Claim>;
  /** The volumes that are asked about; absent: all, and the namespace. */
  readonly members?: readonly string[];
}

/** What is to be done about a volume whose claim is gone. `free`: all such volumes of the namespace. */
export function decideVolume(
  volume: Volume,
  free: readonly Volume[],
  { namespace, claims }: Facts,
  now: number,
  otherNamespace: "ask" | "always" | "never",
): Decision | undefined {
  const note = readNote(volume);
  // What a person has said counts: it is another claim's, or Kubernetes reclaims it, as it would have without us.
  if (!note || !namesItsClaim(volume, note) || volume.spec.persistentVolumeReclaimPolicy !== "Retain") return undefined;
  const { name, annotations = {} } = volume.metadata;
  const title = `Volume ${name} of claim ${note.claim.namespace}/${note.claim.name}`;
  const due = dueOf(volume, note, now);
  const until = Number.isFinite(due) ? `until ${timeOf(due as number)}` : `until somebody sets ${reclaimAtKey}`;
  const dated = due !== undefined && note.step === "retained" ? { [reclaimAtKey]: timeOf(due) } : {};
  const isOffered = volume.spec.claimRef?.uid === undefined;
  const stay = (step: "kept" | "asks", why: string) => {
    const spec = isOffered ? { claimRef: { uid: note.claim.uid } } : undefined;
    return write(volume, { ...note, step }, `${title} is kept ${until}, ${why}`, now, {
      annotations: dated,
      spec,
      due,
    });
  };

  const isSaid = annotations[offerKey] === "yes";
  const isAny = otherNamespace === "always" || isSaid || (note.step === "offered" && note.namespaceUid === undefined);
  if (!isAny && !mayHave(namespace, note, otherNamespace === "ask")) {
    const who = namespace && !isBeingDeleted(namespace) ? "is another one now" : "is gone";
    const how =
      otherNamespace === "never"
        ? "OTHER_NAMESPACE is never"
        : `nobody has said who may have it, as by: kubectl annotate namespace ${note.claim.namespace} ${successorKey}=${note.namespaceUid}`;
    const orAny = `To offer it to whichever comes: kubectl annotate pv ${name} ${offerKey}=yes`;
    return stay("asks", `because namespace ${note.claim.namespace} ${who}, and ${how}. ${orAny}`);
  }
  const its = claims.get(note.claim.name)?.spec.volumeName;
  const rival = free.find((other) => other !== volume && hasBetterRight(other, note));
  if (!isSaid && (rival || (its && !isOffered))) {
    const why = rival
      ? `volume ${rival.metadata.name} is of a later claim of that name`
      : `its claim has volume ${its}`;
    return stay(
      "kept",
      `and not offered, because ${why}. To have it all the same: kubectl annotate pv ${name} ${offerKey}=yes`,
    );
  }
  const { namespaceUid: _, ...rest } = note;
  const uid = isAny || !namespace ? {} : { namespaceUid: namespace.metadata.uid };
  const right = isSaid ? now : note.right;
  const because = `${title} is offered to a new claim of that name, and kept for it ${until}.`;
  const reserved = annotations[boundByController] === undefined ? {} : { [boundByController]: null };
  return write(volume, { ...rest, ...uid, step: "offered", right }, because, now, {
    annotations: { ...dated, ...(isSaid ? { [offerKey]: null } : {}), ...reserved },
    spec: isOffered ? undefined : { claimRef: { uid: null, resourceVersion: null } },
    due,
    first: isAny || !namespace || hasFinalizer(namespace, guard) ? [] : [addFinalizers(Namespace, namespace, [guard])],
  });
}

/** When it is due, as it stands on the volume, or as it is to be set when the claim has just gone. */
function dueOf(volume: Volume, { step, for: text }: Note, now: number): number | undefined {
  if (step !== "retained") return reclaimTime(volume);
  const duration = readDuration(text);
  // Somebody may have written a later time on it before.
  return duration === undefined ? undefined : Date.parse(timeOf(Math.max(now + duration, reclaimTime(volume) || 0)));
}

/** Whether the namespace of that name is the one whose claim it was, or the one that was said to follow it. */
function mayHave(namespace: KubernetesObject | undefined, { namespaceUid }: Note, ask: boolean): boolean {
  if (!namespace || isBeingDeleted(namespace) || namespaceUid === undefined) return false;
  const { uid, annotations } = namespace.metadata;
  return uid === namespaceUid || (ask && annotations?.[successorKey] === namespaceUid);
}

/** Whether another volume without a claim was of a later one of that name. */
function hasBetterRight(other: Volume, { claim, right }: Note): boolean {
  const its = readNote(other);
  return its !== undefined && its.claim.name === claim.name && namesItsClaim(other, its) && its.right > right;
}
