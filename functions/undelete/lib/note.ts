import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision, Precondition } from "../../../shared/decision.ts";
import type { Bound, DeclaredWrites } from "../../../shared/declared-writes.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { mergeChanges, type Wanted } from "../../../shared/kubernetes/merge-changes.ts";
import { hasNewerProgress, progressKey, readProgress } from "../../../shared/progress.ts";
import { newerProgress, normal, type StepEvent, type Steps, silent, warning } from "../../../shared/steps.ts";
import type { Claim, Volume } from "../../../shared/storage/volume.ts";
import { readTime } from "./read-time.ts";

/** On a volume whose claim is gone: when it is left to Kubernetes to reclaim. People may move it, or take it off. */
export const reclaimAtKey = "holdfast.dev/reclaim-at";
/**
 * On a volume. `yes`: offer it now, also in a new namespace, and instead of a volume of a later claim; `no`, and every
 * other value: do not offer it.
 */
export const offerKey = "holdfast.dev/offer";
/** On a volume that is noted: the namespace of its claim. */
export const namespaceLabel = "holdfast.dev/volume-of";

/**
 * On a volume that is offered, and so has no uid in its reservation: the uid of the claim that it was of. This is the
 * witness that is left where another note was written over that of the volume.
 */
export const claimLabel = "holdfast.dev/offered-of";

/** What goes with the note. */
export const noteWrites = {
  annotations: [reclaimAtKey, offerKey],
  labels: [namespaceLabel, claimLabel],
} as const satisfies DeclaredWrites;

/** All three rules write one note, and act upon it: what one has begun, the next goes on with. */
export const noting = {
  progressName: "undelete/note",
  progress: "load-bearing",
  steps: {
    /** Bound, and of policy Retain by us. */
    retained: silent,
    /** Bound, and a person has set the policy since. */
    overruled: warning("PolicyChangedByHand"),
    /** Bound, and left the policy that it had, because too much of its namespace is kept already. */
    unkept: warning("NamespaceFull"),
    /** Its claim is gone. */
    kept: normal("VolumeKept"),
    /** So is its namespace, and an administrator must allow an offer. */
    asks: warning("NamespaceReplaced"),
    /** Reserved for a claim of the same name. */
    offered: normal("VolumeOffered"),
  } satisfies Steps,
} as const;

type Seen = "object" | "oldObject";

// CEL. `oldObject` is what the function has read: its patches are guarded by the resourceVersion.
const policyIn = (seen: Seen) => `${seen}.spec.?persistentVolumeReclaimPolicy.orValue("")`;
const reservedIn = (seen: Seen) => `${seen}.spec.?claimRef.?uid.orValue("")`;
const labelIn = (seen: Seen) => `${seen}.metadata.?labels[?"${claimLabel}"].orValue("")`;
const noteIn = (seen: Seen) => `${seen}.metadata.?annotations[?"${progressKey(noting.progressName)}"].orValue("")`;
const noted = (policy: string) => `'"policy":"' + ${policy} + '"'`;
/** The uids in a note, as JSON.stringify has written it; what is before the first of them is left out. */
const uidsIn = (seen: Seen) =>
  `("{" + ${noteIn(seen)}).split('"uid":"').filter(p, !p.startsWith("{")).map(p, p.split('"')[0])`;
/** Whether a volume has said of itself, before the write, that it had a claim of this uid, or of none. */
const isKnown = (uid: string) =>
  `(${uid} == "" || ${uid} == ${reservedIn("oldObject")} || ${uid} == ${labelIn("oldObject")} || ` +
  `${uid} in ${uidsIn("oldObject")})`;
const offerIn = (seen: Seen) => `${seen}.metadata.?annotations[?"${offerKey}"].orValue("")`;
const isOwn = (uid: string) => `${uid} == oldObject.metadata.uid`;

/**
 * What no rule does to a volume, in no phase: the phase may still be Bound when the claim has just been deleted. The
 * note itself is held to what the volume was, or a forged one would allow the rest.
 */
export const noteBounds: readonly Bound[] = [
  {
    on: ["patch"],
    says: "sets the reclaim policy to Retain, or to the one in the note",
    cel:
      `${policyIn("object")} == "Retain" || ${policyIn("object")} == ${policyIn("oldObject")} || ` +
      `${noteIn("oldObject")}.contains(${noted(policyIn("object"))})`,
  },
  {
    on: ["patch"],
    says: "notes the reclaim policy that the volume has, or that was noted before",
    cel:
      `["Delete", "Recycle"].all(p, p == ${policyIn("oldObject")} || ` +
      `!${noteIn("object")}.contains(${noted("p")}) || ${noteIn("oldObject")}.contains(${noted("p")}))`,
  },
  {
    on: ["patch"],
    says: "names no other claim than one that the volume was of",
    cel:
      // One by one: a list has elements of one type, and the API server does not know the type of these.
      [reservedIn("object"), labelIn("object")].map((uid) => `!(${isOwn(uid)}) && ${isKnown(uid)} && `).join("") +
      `${uidsIn("object")}.all(u, ${isOwn("u")} || ${isKnown("u")})`,
  },
  {
    on: ["patch"],
    says: `removes ${offerKey}, which only people write`,
    cel: `${offerIn("object")} == "" || ${offerIn("object")} == ${offerIn("oldObject")}`,
  },
];

const schema = z.object({
  step: z.enum(["retained", "overruled", "unkept", "kept", "asks", "offered"]),
  /** The reclaim policy that the volume had, which it gets back. */
  policy: z.enum(["Delete", "Recycle", "Retain"]),
  /** How long it is kept, as it was written. */
  for: z.string(),
  /** On what that is written. Absent in notes of former versions. */
  by: z.enum(["claim", "namespace", "class"]).optional(),
  claim: z.object({ namespace: z.string(), name: z.string(), uid: z.string() }),
  /** The storage that the claim asked for, where the volume is larger. */
  asked: z.string().optional(),
  /** The namespace's uid. Absent: any namespace of that name will do, or the next one. Empty: it is not known. */
  namespaceUid: z.string().optional(),
  /**
   * When it was bound, or a person had it offered, which is later than what others of its name have. Of two volumes
   * of a name the later one is offered.
   */
  right: z.number(),
  /** Former versions wrote it where a person has set offer=no. It stays, or they would write it again. */
  refused: z.literal(true).optional(),
  /** What a person must see to, beside the step: the reason of a Warning, which is cleared when this goes. */
  warning: z.enum(["UnreadableTime", "AnotherVolumeBound", "ReclaimPostponed"]).optional(),
});
export type Note = z.output<typeof schema>;

/**
 * Reads the note. One that was copied from another volume, or cannot be read, is none. The policy is the one that the
 * volume gets back as it is now: one that a person has set since stays, in the end as well.
 */
export function readNote(volume: Volume): Note | undefined {
  const { data: note } = schema.safeParse(readProgress(volume, noting.progressName));
  const found = volume.spec?.persistentVolumeReclaimPolicy as Note["policy"];
  const isLeft = note?.step === "overruled" || note?.step === "unkept";
  return note && (isLeft || found !== "Retain") ? { ...note, policy: found } : note;
}

/**
 * What is known of an offered volume whose note was overwritten: whose claim it was. Its namespace and its former
 * policy are not known. `undefined`: it is no such volume.
 */
export function lostNote({ metadata: { labels }, spec }: Volume): Note | undefined {
  const { claimRef, persistentVolumeReclaimPolicy } = spec;
  const uid = labels?.[claimLabel];
  const { namespace, name } = claimRef ?? {};
  if (!uid || !name || claimRef?.uid !== undefined || !namespace || labels[namespaceLabel] !== namespace)
    return undefined;
  const policy = persistentVolumeReclaimPolicy as Note["policy"];
  return { step: "kept", policy, for: "", claim: { namespace, name, uid }, namespaceUid: "", right: 0 };
}

/**
 * What every rule decides about a volume whose note only a newer version can read, and nothing else: whether it is
 * kept, offered or left out is not known here. `undefined`: its note is no such.
 */
export function stopAtNewerNote(volume: Volume): Decision | undefined {
  if (!hasNewerProgress(volume, noting.progressName)) return undefined;
  const message =
    `Volume ${volume.metadata.name} is left as it is, because ${progressKey(noting.progressName)} was written by a ` +
    "version of Holdfast that is newer than the next one. Roll the functions of undelete forward again. Do not " +
    "remove the annotation: only it says which reclaim policy the volume had.";
  return about(PersistentVolume, volume).stop(message, { event: newerProgress });
}

/** The time on the volume in milliseconds since the epoch: Infinity without one, NaN where it cannot be read. */
export function reclaimTime({ metadata }: Volume): number {
  const text = metadata.annotations?.[reclaimAtKey];
  return text === undefined ? Number.POSITIVE_INFINITY : readTime(text);
}

/** Whether a person has written that the volume is to be offered, and reserve has not removed that yet. */
export const isSaid = ({ metadata }: Volume) => metadata.annotations?.[offerKey] === "yes";

/** Whether it is Released, and of another policy than Retain: Kubernetes reclaims it, and reserve leaves it alone. */
export const isLeftToKubernetes = ({ spec: { claimRef, persistentVolumeReclaimPolicy } }: Volume) =>
  persistentVolumeReclaimPolicy !== "Retain" && claimRef?.uid !== undefined;

/**
 * Whether the volume of a claim has become that of another one, and was never free in between: a controller has written
 * the uid of the next claim, as volume populators do. A person who gives a volume away writes none.
 */
export const isHandedOver = ({ spec: { claimRef }, status }: Volume, { step }: Note): boolean =>
  claimRef?.uid !== undefined && status?.phase === "Bound" && !["kept", "asks", "offered"].includes(step);

/**
 * Which claim has a noted volume. `claim` is the one of its name that exists now:
 * - another: a person has reserved it for a claim of another name;
 * - bound: that claim;
 * - unseen: none, and reserve has not written yet until when it is kept after its last claim;
 * - awaited: none, but that claim asks for it by its name, or for any volume while it is offered: it must not be
 *   reclaimed meanwhile;
 * - none.
 */
export function holderOf(
  { metadata, spec: { claimRef } }: Volume,
  { step, claim: noted }: Note,
  claim: Claim | undefined,
): "another" | "bound" | "unseen" | "awaited" | "none" {
  if (claimRef?.namespace !== noted.namespace || claimRef.name !== noted.name) return "another";
  if (claimRef.uid !== undefined && claimRef.uid === claim?.metadata.uid) return "bound";
  if (["retained", "overruled", "unkept"].includes(step) || ![undefined, noted.uid].includes(claimRef.uid))
    return "unseen";
  const asked = claim?.spec.volumeName;
  const isAwaited = claim && (asked === metadata.name || (!asked && claimRef.uid === undefined));
  return isAwaited ? "awaited" : "none";
}

/**
 * Brings the volume to what is wanted, note and all, in one guarded patch. `due`: when the sweep is to come, if that is
 * a time; `event`: instead of the one of the note's warning.
 */
export function keep(
  volume: Volume,
  note: Note,
  message: string,
  wanted: Wanted,
  {
    due = Number.NaN,
    event = note.warning && warning(note.warning),
    preconditions,
  }: { due?: number; event?: StepEvent; preconditions?: readonly Precondition[] } = {},
): Decision {
  const { step: name, ...details } = note;
  const offeredOf = name === "offered" ? note.claim.uid : null;
  const labels = { [namespaceLabel]: note.claim.namespace, [claimLabel]: offeredOf };
  return about(PersistentVolume, volume).write(message, mergeChanges(PersistentVolume, volume, { ...wanted, labels }), {
    step: { name, details },
    ...(Number.isFinite(due) ? { next: due, isDeadline: true } : {}),
    ...(event ? { event } : {}),
    ...(preconditions ? { preconditions } : {}),
    clears: outdated(volume, [note.warning, event?.reason]),
    concern: concernOf(note),
  });
}

/** Of volumes of one claim name only one is offered; what is done about those of another name does not touch it. */
export const concernOf = ({ claim: { namespace, name } }: Pick<Note, "claim">): string => `${namespace}/${name}`;

/** Forgets a volume that has become that of another claim. */
export function giveAway(volume: Volume): Decision {
  const { metadata, spec } = volume;
  const message =
    `Volume ${metadata.name} is not kept for its claim any more, because a person has given it to another. ` +
    `Its reclaim policy stays ${spec.persistentVolumeReclaimPolicy}.`;
  return forget(volume, normal("GivenToAnother"), message);
}

/** Removes all that was noted: the volume is Kubernetes' alone again. */
export function forget(
  volume: Volume,
  event: StepEvent,
  message: string,
  spec: object = {},
  preconditions: readonly Precondition[] = [],
): Decision {
  const annotations = { [reclaimAtKey]: null, [offerKey]: null };
  const writes = mergeChanges(PersistentVolume, volume, {
    annotations,
    labels: { [namespaceLabel]: null, [claimLabel]: null },
    spec,
  });
  const note = readNote(volume) ?? lostNote(volume);
  return about(PersistentVolume, volume).write(message, writes, {
    event,
    clears: outdated(volume),
    preconditions,
    ...(note ? { concern: concernOf(note) } : {}),
  });
}

/** The reasons of Warnings that are over, unless they are among `after`. */
function outdated(volume: Volume, after: readonly (string | undefined)[] = []): readonly string[] {
  // Expire records the other one beside the note, while an offer of a person waits for reserve.
  const before = [readNote(volume)?.warning, isSaid(volume) ? "ReclaimPostponed" : undefined];
  return [...new Set(before)].filter((reason) => reason !== undefined && !after.includes(reason)) as string[];
}
