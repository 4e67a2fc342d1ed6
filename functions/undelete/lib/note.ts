import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { labelFor, nextProgress, progressKey, readProgress } from "../../../shared/progress.ts";
import { normal, type StepEvent, warning } from "../../../shared/steps.ts";
import type { Volume } from "../../../shared/storage/volume.ts";

/** On a volume whose claim is gone: when it is handed back to Kubernetes. People may move it, or take it off. */
export const reclaimAtKey = "holdfast.dev/reclaim-at";
/** On a volume, `yes`: offer it now, whichever namespace and volume has the better right. */
export const offerKey = "holdfast.dev/offer";
/** On a volume that is noted: the namespace of its claim. */
export const namespaceLabel = "holdfast.dev/volume-of";

/** All three rules write one note: what one has begun, the next goes on with. */
const noting = "undelete/note";
const schema = z.object({
  /**
   * `retained`: bound, and of policy Retain by us; `overruled`: bound, and a person has set the policy since; `kept`: its claim is
   * gone; `asks`: so is its namespace, and somebody must say who may have it; `offered`: reserved for a claim of the same name.
   */
  step: z.enum(["retained", "overruled", "kept", "asks", "offered"]),
  /** The reclaim policy that the volume had, which it gets back. */
  policy: z.enum(["Delete", "Recycle", "Retain"]),
  /** How long it is kept, as it was written. */
  for: z.string(),
  claim: z.object({ namespace: z.string(), name: z.string(), uid: z.string() }),
  /** The namespace's uid. Absent: any namespace of that name will do. */
  namespaceUid: z.string().optional(),
  /** When it was bound to the claim, or somebody said that it is to be offered: of two volumes of a name the later is offered. */
  right: z.number(),
});
export type Note = z.output<typeof schema>;

/** Reads the note. One that was copied from another volume, or cannot be read, is none. */
export function readNote(volume: Volume): Note | undefined {
  return schema.safeParse(readProgress(volume, noting)).data;
}

/** When the volume is to be looked at again, as its note says; in milliseconds since the epoch. */
export function noted(volume: Volume): number | undefined {
  const next = readProgress(volume, noting)?.next;
  return next === undefined ? undefined : Date.parse(next);
}

/** Whether the volume still names the claim of the note: a person may have reserved it for another. */
export function namesItsClaim({ spec: { claimRef } }: Volume, { claim }: Note): boolean {
  return claimRef?.namespace === claim.namespace && claimRef.name === claim.name;
}

/** The time on the volume; `undefined` when there is none, NaN when it cannot be read. Milliseconds since the epoch. */
export function reclaimTime({ metadata }: Volume): number | undefined {
  const text = metadata.annotations?.[reclaimAtKey];
  return text === undefined ? undefined : Date.parse(text);
}

const warned = "UnreadableTime";
const reasons: Readonly<Record<Note["step"], string | undefined>> = {
  retained: undefined,
  overruled: "PolicyChangedByHand",
  kept: "VolumeKept",
  asks: "NamespaceReplaced",
  offered: "VolumeOffered",
};

/** What goes with the note in the same patch. `due`: when it is handed back; `first`: writes that must have succeeded before. */
interface Further {
  readonly annotations?: Record<string, string | null>;
  readonly spec?: object | undefined;
  readonly due?: number | undefined;
  readonly first?: readonly Write[];
  /** Something on the objects cannot be read, and a person must see to it. */
  readonly unreadable?: boolean;
}

/** Writes the note, and all that goes with it, in one guarded patch; leaves a volume alone that says it all already. */
export function write(volume: Volume, note: Note, because: string, now: number, further: Further = {}): Decision {
  const { annotations = {}, spec, first = [], unreadable = false } = further;
  // In one order, or the same would look like another.
  const { step, ...details } = schema.parse(note);
  const next = Number.isNaN(further.due) ? undefined : further.due;
  const text = nextProgress(volume, noting, { name: step, details }, because, now, next);
  const { namespace } = note.claim;
  const isLabelled = volume.metadata.labels?.[namespaceLabel] === namespace;
  const labels = { ...labelFor(volume, noting, next), ...(isLabelled ? {} : { [namespaceLabel]: namespace }) };
  const changes = { ...annotations, ...(text === undefined ? {} : { [progressKey(noting)]: text }) };
  const decided = about(PersistentVolume, volume);
  if (!spec && first.length === 0 && Object.keys({ ...changes, ...labels }).length === 0) return decided.leave(because);
  const before = readNote(volume)?.step;
  const reason = unreadable ? warned : before === step ? undefined : reasons[step];
  const past = [before === step ? undefined : before && reasons[before], unreadable ? undefined : warned];
  return decided.write(because, [...first, annotate(PersistentVolume, volume, changes, labels, spec)], {
    // The note is the three rules' own, and in the patch already.
    step: "kept",
    ...(reason ? { event: eventOf(reason) } : {}),
    over: past.filter((reason) => reason !== undefined),
  });
}

/** Takes off all that was noted: the volume is Kubernetes' alone again. */
export function forget(volume: Volume, reason: string, because: string, spec?: object): Decision {
  const annotations = { [progressKey(noting)]: null, [reclaimAtKey]: null, [offerKey]: null };
  const labels = { ...labelFor(volume, noting, undefined), [namespaceLabel]: null };
  const writes = [annotate(PersistentVolume, volume, annotations, labels, spec)];
  const over = [warned, ...Object.values(reasons).filter((known) => known !== undefined)];
  return about(PersistentVolume, volume).write(because, writes, { step: "kept", event: eventOf(reason), over });
}

/** Brings the note of a volume without a claim to what people have made of it: the time moved, or the word given that it is offered. */
export function settle(volume: Volume, note: Note, now: number): Decision {
  const { name, annotations } = volume.metadata;
  const due = reclaimTime(volume);
  // The sweep tells reserve of it.
  const isAsked = annotations?.[offerKey] === "yes" && note.step !== "offered";
  const until =
    due === undefined ? "for good" : Number.isNaN(due) ? "until its time can be read" : `until ${timeOf(due)}`;
  const advice = Number.isNaN(due) ? `: ${reclaimAtKey} is no time such as 2030-01-31T12:00:00Z` : "";
  return write(volume, note, `Volume ${name} is kept ${until}${advice}.`, now, {
    due: isAsked ? Math.min(noted(volume) ?? now, now) : due,
    unreadable: Number.isNaN(due),
  });
}

/** Whole seconds, as Kubernetes writes its times. */
export const timeOf = (time: number) => new Date(Math.ceil(time / 1000) * 1000).toISOString().replace(".000Z", "Z");

/** The Event of a reason. */
function eventOf(reason: string): StepEvent {
  return [warned, reasons.asks, reasons.overruled].includes(reason) ? warning(reason) : normal(reason);
}
