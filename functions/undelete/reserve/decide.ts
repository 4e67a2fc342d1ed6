import type { Decision } from "../../../shared/decision.ts";
import { readDuration } from "../../../shared/duration.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Claim, Volume } from "../../../shared/storage/volume.ts";
import {
  describeVolume,
  keep,
  type Note,
  namesItsClaim,
  offerKey,
  readNote,
  reclaimAtKey,
  reclaimTime,
} from "../lib/note.ts";

/**
 * On a namespace: the uid of the one of its name before it, whose volumes are its own. Nobody knows it who could not
 * see them.
 */
const successorKey = "holdfast.dev/successor-of";
/**
 * On a volume that the controller bound: when a claim finds another volume it is Available to all; without it, reserved
 * as before.
 */
const boundByController = "pv.kubernetes.io/bound-by-controller";

const unread = `until its time can be read, because ${reclaimAtKey} is no time such as 2030-01-31T12:00:00Z`;

/** The noted volumes of one namespace, and the claims there are, which were read after them. */
export interface Facts {
  /** Read last; `undefined`: it is gone. */
  readonly namespace: KubernetesObject | undefined;
  /** It was being deleted already before all else was read: whoever offers after that has read the volumes in vain. */
  readonly isEnding: boolean;
  readonly volumes: readonly Volume[];
  /** By name. */
  readonly claims: ReadonlyMap<string, Claim>;
}

/** A volume whose claim is gone, and its note. */
export interface Free {
  readonly volume: Volume;
  readonly note: Note;
}

/**
 * The volumes whose claims are gone, but for what a person has given to another claim, or left to Kubernetes to
 * reclaim.
 */
export function freeVolumes({ volumes, claims }: Facts): readonly Free[] {
  return volumes.flatMap((volume) => {
    const note = readNote(volume);
    const { claimRef, persistentVolumeReclaimPolicy: policy } = volume.spec;
    // Bound by now, or about to be: what is to be noted of that, retain notes.
    const isTaken = claimRef?.uid !== undefined && claimRef.uid === claims.get(claimRef.name ?? "")?.metadata.uid;
    const isOurs = note && namesItsClaim(volume, note) && policy === "Retain" && !isBeingDeleted(volume);
    return isOurs && !isTaken ? { volume, note } : [];
  });
}

/**
 * What is to be done about a volume whose claim is gone; `free`: all such volumes of the namespace. An offer is of the
 * first order: what it rests on comes before it.
 */
export function decideVolume(
  { volume, note }: Free,
  free: readonly Free[],
  { namespace, claims }: Facts,
  now: number,
  otherNamespace: "ask" | "always" | "never",
): Decision {
  const { name, annotations = {} } = volume.metadata;
  const title = describeVolume(volume, note);
  const next = dueOf(volume, note, now);
  const isRead = !Number.isNaN(next);
  const until = !isRead ? unread : next === undefined ? `until somebody sets ${reclaimAtKey}` : `until ${timeOf(next)}`;
  const dated = note.step === "retained" && next !== undefined ? { [reclaimAtKey]: timeOf(next) } : {};
  const { unreadable: _, namespaceUid, ...rest } = note;
  const common = { ...rest, ...(isRead ? {} : { unreadable: true as const }) };
  const stay = (step: "kept" | "asks", why: string) => {
    const stands = { ...common, namespaceUid, step, because: `${title} is kept ${until}, ${why}` };
    return keep(volume, stands, now, { annotations: dated, spec: { claimRef: { uid: note.claim.uid } }, next });
  };

  const isOffered = volume.spec.claimRef?.uid === undefined;
  const isSaid = annotations[offerKey] === "yes";
  const isAny = otherNamespace === "always" || isSaid || (isOffered && namespaceUid === undefined);
  const allTheSame = `kubectl annotate pv ${name} ${offerKey}=yes`;
  if (!isAny && !mayHave(namespace, note, otherNamespace === "ask")) {
    const who = namespace && !isBeingDeleted(namespace) ? "is another one now" : "is gone";
    const how =
      otherNamespace === "never"
        ? "OTHER_NAMESPACE is never"
        : `nobody has said who may have it, as by: kubectl annotate namespace ${note.claim.namespace} ` +
          `${successorKey}=${namespaceUid}`;
    const orAny = `To offer it to whichever comes: ${allTheSame}`;
    return stay("asks", `because namespace ${note.claim.namespace} ${who}, and ${how}. ${orAny}`);
  }
  const its = claims.get(note.claim.name)?.spec.volumeName;
  const rival = free.find((other) => other.note.claim.name === note.claim.name && other.note.right > note.right);
  if (!isSaid && (rival || (its && !isOffered))) {
    const better = rival
      ? `volume ${rival.volume.metadata.name} is of a later claim of that name`
      : `its claim has volume ${its}`;
    return stay("kept", `and not offered, because ${better}. To have it all the same: ${allTheSame}`);
  }
  const offered: Note = {
    ...common,
    step: "offered",
    because: `${title} is offered to a new claim of that name, and kept for it ${until}.`,
    ...(isAny || !namespace ? {} : { namespaceUid: namespace.metadata.uid }),
    right: isSaid ? now : note.right,
  };
  const cleared = { [offerKey]: null, [boundByController]: null };
  const spec = { claimRef: { uid: null, resourceVersion: null } };
  return keep(volume, offered, now, { annotations: { ...dated, ...cleared }, spec, next, order: 1 });
}

/** When it is due, as it stands on the volume, or as it is to be set when the claim has just gone. */
function dueOf(volume: Volume, { step, for: text }: Note, now: number): number | undefined {
  if (step !== "retained") return reclaimTime(volume);
  const duration = readDuration(text);
  // Somebody may have written a later time on it before.
  return duration === undefined ? undefined : Date.parse(timeOf(Math.max(now + duration, reclaimTime(volume) || 0)));
}

/** Whole seconds, as Kubernetes writes its times. */
const timeOf = (time: number) => new Date(Math.ceil(time / 1000) * 1000).toISOString().replace(".000Z", "Z");

/** Whether the namespace of that name is the one whose claim it was, or the one that was said to follow it. */
function mayHave(namespace: KubernetesObject | undefined, { namespaceUid }: Note, ask: boolean): boolean {
  if (!namespace || isBeingDeleted(namespace) || namespaceUid === undefined) return false;
  const { uid, annotations } = namespace.metadata;
  return uid === namespaceUid || (ask && annotations?.[successorKey] === namespaceUid);
}
