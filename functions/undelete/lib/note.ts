import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { mergeChanges, type Wanted } from "../../../shared/kubernetes/merge-changes.ts";
import { readProgress } from "../../../shared/progress.ts";
import { normal, type Steps, silent, warning } from "../../../shared/steps.ts";
import type { Volume } from "../../../shared/storage/volume.ts";

/** On a volume whose claim is gone: when it is handed back to Kubernetes. People may move it, or take it off. */
export const reclaimAtKey = "holdfast.dev/reclaim-at";
/** On a volume, `yes`: offer it now, whichever namespace and volume has the better right. */
export const offerKey = "holdfast.dev/offer";
/** On a volume that is noted: the namespace of its claim. */
export const namespaceLabel = "holdfast.dev/volume-of";

/** All three rules write one note, and act upon it: what one has begun, the next goes on with. */
export const noting = {
  progressName: "undelete/note",
  progress: "load-bearing",
  steps: {
    /** Bound, and of policy Retain by us. */
    retained: silent,
    /** Bound, and a person has set the policy since. */
    overruled: warning("PolicyChangedByHand"),
    /** Its claim is gone. */
    kept: normal("VolumeKept"),
    /** So is its namespace, and somebody must say who may have it. */
    asks: warning("NamespaceReplaced"),
    /** Reserved for a claim of the same name. */
    offered: normal("VolumeOffered"),
  } satisfies Steps,
} as const;
/** A time on the objects cannot be read. */
const unreadableTime = warning("UnreadableTime");
/** The volume is due, and a claim of its name waits for a volume. */
export const reclaimPostponed = normal("ReclaimPostponed");

const schema = z.object({
  step: z.enum(["retained", "overruled", "kept", "asks", "offered"]),
  because: z.string(),
  /** When it is to be looked at again. */
  next: z.string().optional(),
  /** The reclaim policy that the volume had, which it gets back. */
  policy: z.enum(["Delete", "Recycle", "Retain"]),
  /** How long it is kept, as it was written. */
  for: z.string(),
  claim: z.object({ namespace: z.string(), name: z.string(), uid: z.string() }),
  /** The namespace's uid. Absent: any namespace of that name will do. */
  namespaceUid: z.string().optional(),
  /**
   * When it was bound to the claim, or somebody said that it is to be offered: of two volumes of a name the later is
   * offered.
   */
  right: z.number(),
  /** A time cannot be read: a person must see to it. */
  unreadable: z.literal(true).optional(),
});
export type Note = z.output<typeof schema>;

/** Reads the note. One that was copied from another volume, or cannot be read, is none. */
export const readNote = (volume: Volume): Note | undefined =>
  schema.safeParse(readProgress(volume, noting.progressName)).data;

/** Whether the volume still names the claim of the note: a person may have reserved it for another. */
export const namesItsClaim = ({ spec: { claimRef } }: Volume, { claim }: Note): boolean =>
  claimRef?.namespace === claim.namespace && claimRef.name === claim.name;

/** The time on the volume; `undefined` when there is none, NaN when it cannot be read. Milliseconds since the epoch. */
export function reclaimTime({ metadata }: Volume): number | undefined {
  const text = metadata.annotations?.[reclaimAtKey];
  return text === undefined ? undefined : Date.parse(text);
}

/** Whether people have left a volume without a claim as it was noted: its time, and whether it is to be offered. */
export function isAsItWasNoted(volume: Volume, { step, next, unreadable }: Note): boolean {
  const time = reclaimTime(volume);
  const isAsked = volume.metadata.annotations?.[offerKey] === "yes" && step !== "offered";
  return !isAsked && Boolean(unreadable) === Number.isNaN(time) && (time || 0) === (Date.parse(next ?? "") || 0);
}

export const describeVolume = ({ metadata }: Volume, { claim }: Note): string =>
  `Volume ${metadata.name} of claim ${claim.namespace}/${claim.name}`;

/** What goes with the note in the same patch. `next`: when the sweep is to come. */
interface Further extends Pick<Wanted, "annotations" | "spec"> {
  readonly next?: number | undefined;
  readonly order?: number;
}

/** Brings the volume to what it is to be, note and all, in one guarded patch. */
export function keep(volume: Volume, note: Note, now: number, { next = Number.NaN, order = 0, ...further }: Further) {
  // In one order, or the same would look like another.
  const { step: name, because, next: _, ...details } = schema.parse(note);
  const labels = { [namespaceLabel]: note.claim.namespace };
  return about(PersistentVolume, volume).write(
    because,
    mergeChanges(PersistentVolume, volume, { ...further, labels }),
    {
      step: { name, details },
      ...(Number.isNaN(next) ? {} : { next }),
      ...(note.unreadable ? { event: unreadableTime } : {}),
      over: outdated(volume, now, note, next),
      order,
    },
  );
}

/** Takes off all that was noted: the volume is Kubernetes' alone again. */
export function forget(volume: Volume, now: number, reason: string, because: string, spec: object = {}): Decision {
  const annotations = { [reclaimAtKey]: null, [offerKey]: null };
  const writes = mergeChanges(PersistentVolume, volume, { annotations, labels: { [namespaceLabel]: null }, spec });
  const over = outdated(volume, now);
  return about(PersistentVolume, volume).write(because, writes, { event: normal(reason), over });
}

/** Reasons of Events that are no longer true, besides those of steps. */
function outdated(volume: Volume, now: number, after?: Note, next = Number.NaN): readonly string[] {
  const before = readNote(volume);
  const isRead = before?.unreadable && !after?.unreadable;
  const isStillDue = after?.step === "offered" && next <= now;
  const wasDue = Date.parse(before?.next ?? "") <= now;
  return [...(isRead ? [unreadableTime.reason] : []), ...(wasDue && !isStillDue ? [reclaimPostponed.reason] : [])];
}
