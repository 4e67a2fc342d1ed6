import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { readDuration } from "../../../shared/duration.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { mergeChanges } from "../../../shared/kubernetes/merge-changes.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { type StepEvent, warning } from "../../../shared/steps.ts";
import { type Claim, isBound, type Volume } from "../../../shared/storage/volume.ts";
import {
  concernOf,
  giveAway,
  holderOf,
  isHandedOver,
  isLeftToKubernetes,
  isSaid,
  keep,
  lostNote,
  type Note,
  offerKey,
  readNote,
  reclaimAtKey,
  reclaimTime,
  stopAtNewerNote,
} from "../lib/note.ts";
import { successorKey } from "../lib/successor.ts";

/** Kubernetes' own: when a claim finds another volume, one that carries this becomes Available to all. */
export const boundByController = "pv.kubernetes.io/bound-by-controller";

/** A namespace, the noted volumes of its claims, and the claims, each read after the one before. */
export interface Facts {
  /** `undefined`: it is gone. */
  readonly namespace: KubernetesObject | undefined;
  readonly volumes: readonly Volume[];
  /** By name. */
  readonly claims: ReadonlyMap<string, Claim>;
}

type OtherNamespace = "ask" | "always" | "never";

interface Noted {
  readonly volume: Volume;
  readonly note: Note;
  /** The claim of its name that there is. */
  readonly claim: Claim | undefined;
  readonly holder: ReturnType<typeof holderOf>;
}

interface NamespaceVolumes {
  readonly namespace: KubernetesObject | undefined;
  /** All volumes of the namespace. */
  readonly noted: readonly Noted[];
  /** Those whose claims are gone. */
  readonly free: readonly Noted[];
  readonly otherNamespace: OtherNamespace;
}

/** What is to be done about the volumes of a namespace whose claims are gone. */
export function decideAll(facts: Facts, now: number, otherNamespace: OtherNamespace): readonly Decision[] {
  const noted = facts.volumes.flatMap((volume): readonly Noted[] => {
    const note = readNote(volume) ?? lostNote(volume);
    if (!note || isBeingDeleted(volume) || stopAtNewerNote(volume)) return [];
    const claim = facts.claims.get(note.claim.name);
    return [{ volume, note, claim, holder: holderOf(volume, note, claim) }];
  });
  const free = noted.filter(
    ({ volume, holder }) => holder !== "another" && holder !== "bound" && !isLeftToKubernetes(volume),
  );
  const around = { namespace: facts.namespace, noted, free, otherNamespace };
  return [
    ...facts.volumes.flatMap((volume) => (isBeingDeleted(volume) ? [] : (stopAtNewerNote(volume) ?? []))),
    // Retain knows the claim that has it now, and whether the former policy counts for that.
    ...noted.flatMap(({ volume, note, holder }) =>
      holder === "another" && !isHandedOver(volume, note) ? [giveAway(volume)] : [],
    ),
    ...noted.filter((one) => one.holder === "bound" && isSaid(one.volume)).flatMap(takeBack),
    ...free.flatMap((one) => (isYetToBeReleased(one) ? [] : decideVolume(one, around, now))),
  ];
}

/**
 * Takes a permission off a volume that a claim has: left there, it would count for another namespace later. While the
 * claim is being deleted, the permission may be for what comes after it.
 */
function takeBack({ volume, note, claim }: Noted): readonly Decision[] {
  if (!isBound(volume, claim) || isBeingDeleted(claim)) return [];
  const { namespace, name } = claim.metadata;
  const message =
    `Claim ${namespace}/${name} has volume ${volume.metadata.name}: ${offerKey}=yes has no effect while it does, and ` +
    "is removed. To offer the volume after that, write it again when the claim is gone.";
  const writes = mergeChanges(PersistentVolume, volume, { annotations: { [offerKey]: null } });
  const event = warning("OfferWithoutEffect");
  return [
    about(PersistentVolume, volume).write(message, writes, { progress: "unchanged", event, concern: concernOf(note) }),
  ];
}

function decideVolume(one: Noted, around: NamespaceVolumes, now: number): Decision {
  const { volume, note, holder } = one;
  const isNew = holder === "unseen";
  const time = isNew ? firstTime(one, now) : reclaimTime(volume);
  const { says, event, change = time, ...standing } = standingOf(one, around, time <= now);
  const isToBeOffered = standing.step === "offered";
  const noted: Note = {
    ...note,
    ...standing,
    warning: Number.isNaN(time) ? "UnreadableTime" : standing.warning,
    right: isToBeOffered && isSaid(volume) ? rightFromNow(one, around, now) : note.right,
  };
  const annotations = {
    ...(isNew && !Number.isNaN(time) ? { [reclaimAtKey]: Number.isFinite(time) ? rfc3339(time) : null } : {}),
    ...(isRefused(one) ? {} : { [offerKey]: null }),
    ...(isToBeOffered ? { [boundByController]: null } : {}),
  };
  // Without the offer it is Released: with any other policy it would be reclaimed at once, and not when it is due.
  const found = volume.spec.persistentVolumeReclaimPolicy;
  const isChanged = !isToBeOffered && found !== "Retain";
  const spec = isToBeOffered
    ? { claimRef: { uid: null, resourceVersion: null } }
    : { claimRef: { uid: note.claim.uid }, persistentVolumeReclaimPolicy: "Retain" };
  const title = `Volume ${volume.metadata.name} of claim ${note.claim.namespace}/${note.claim.name}`;
  const policy = isChanged ? ` Its reclaim policy, which a person has set to ${found}, is Retain until then.` : "";
  const message = `${title} is kept until ${inWords(time)}, and ${says}${policy}`;
  const due = Math.min(...[time, change].filter(Number.isFinite));
  return keep(volume, noted, message, { annotations, spec }, { due, ...(event ? { event } : {}) });
}

/** What the note is to say of where a volume stands, and the end of the sentence that says it. */
type Verdict = Pick<Note, "step" | "warning" | "namespaceUid"> & {
  readonly says: string;
  readonly event?: StepEvent;
  /** When this may change without an event of the volume. Milliseconds since the epoch. */
  readonly change?: number;
};

/** Where a volume stands whose claim is gone: the first of these that is so. */
function standingOf(one: Noted, around: NamespaceVolumes, isDue: boolean): Verdict {
  const { namespace, free, otherNamespace } = around;
  const { volume, note, claim, holder } = one;
  const { namespace: home, name } = note.claim;
  const offering = `\`kubectl annotate pv ${volume.metadata.name} ${offerKey}=yes --overwrite\``;
  const isAsked = claim?.spec.volumeName === volume.metadata.name;
  const postponed =
    "It is due, but there is a claim of that name without a volume: it stays until that has one or is gone.";
  // The note says nothing of it: a former version would remove that, and this one write it again.
  const withheld = (step: Note["step"], why: string): Verdict => ({
    step,
    says: `not offered, because ${why}.${isDue && isAsked ? ` ${postponed}` : ""} To offer it: ${offering}`,
    ...(isDue && isAsked ? { event: warning("ReclaimPostponed") } : {}),
  });
  if (isRefused(one)) return withheld("kept", `${offerKey} is ${volume.metadata.annotations?.[offerKey]}`);

  const heir = heirOf(one, around);
  if (!heir) {
    if (isSaid(volume) && namespace && isBeingDeleted(namespace))
      return withheld("asks", `namespace ${home} is being deleted, and a permission counts only when it is gone`);
    const who = namespace && !isBeingDeleted(namespace) ? "is another one now" : "is gone";
    // Which namespace's it was is not known of one that was anybody's before.
    const { namespaceUid } = note;
    // The uid itself stays out of Events, which more people may read than volumes.
    const word =
      namespaceUid && otherNamespace === "ask"
        ? `, as by: \`kubectl annotate namespace ${home} ${successorKey}=UID\` (namespaceUid in the note of the volume)`
        : "";
    const how = `no administrator has allowed it${word}`;
    const why = namespaceUid === "" ? "its note was overwritten, and no administrator has allowed it" : undefined;
    return withheld("asks", why ?? `namespace ${home} ${who}, and ${how}`);
  }

  const rival = free.find((other) => other.note.claim.name === name && outranks(other, one));
  if (rival) {
    const why = `volume ${rival.volume.metadata.name} is of a later claim of that name`;
    // It loses its label when it goes, and its events do not point here any more.
    return { ...withheld("kept", why), change: reclaimTime(rival.volume) };
  }

  // One that asks for this volume by its name has none yet.
  const its = isAsked ? undefined : claim?.spec.volumeName;
  // The later data: should that claim be made again in a moment, it must not find the earlier.
  const isLater = around.noted.some((other) => other.volume.metadata.name === its && outranks(other, one));
  if (its && !isSaid(volume) && (isLater || !isOffered(one))) return withheld("kept", `its claim has volume ${its}`);

  const offered = { ...heir, step: "offered", says: "offered to a new claim of that name." } as const;
  if (isDue && holder === "awaited")
    return { ...offered, says: `${offered.says} ${postponed}`, warning: "ReclaimPostponed" };
  if (its) {
    const passed =
      `The claim that there is has volume ${its}, because it came before, or asks for another size, other access ` +
      "modes, another volume mode or another VolumeAttributesClass than this one has. To have this one bound: " +
      `${offering}, then delete that claim and create one that this is right for.`;
    return { ...offered, says: `${offered.says} ${passed}`, warning: "AnotherVolumeBound" };
  }
  return offered;
}

/**
 * Where the volume may be offered, as the note is to say it: in the namespace of that name, if it is the former one,
 * names its uid, or is the one in which an administrator has allowed it, or the first one after that; in any namespace;
 * `undefined`: in none before an administrator allows it.
 */
function heirOf(one: Noted, { namespace, otherNamespace }: NamespaceVolumes): Pick<Note, "namespaceUid"> | undefined {
  const { namespaceUid } = one.note;
  const isAllowed = isSaid(one.volume) || (isOffered(one) && namespaceUid === undefined);
  const isAnybodys = otherNamespace === "always" || (isAllowed && !namespace);
  if (namespace && !isBeingDeleted(namespace)) {
    const { uid, annotations } = namespace.metadata;
    const isSuccessor = otherNamespace === "ask" && namespaceUid && annotations?.[successorKey] === namespaceUid;
    if (uid === namespaceUid || isSuccessor || (isAllowed && !isAnybodys)) return { namespaceUid: uid };
  }
  return isAnybodys ? { namespaceUid: undefined } : undefined;
}

/**
 * Whether its claim has gone and Kubernetes has not said so of the volume yet. Until then only this machine's clock,
 * which may be behind, knows since when the volume is free. The release comes as an event.
 */
const isYetToBeReleased = ({ volume, holder }: Noted) => holder === "unseen" && volume.status?.phase === "Bound";

const isOffered = ({ volume }: Noted) => volume.spec.claimRef?.uid === undefined;

/** Whether a person does not want it offered, for example to restore a snapshot under its claim's name. */
const isRefused = (one: Noted) => one.volume.metadata.annotations?.[offerKey] !== undefined && !isSaid(one.volume);

/**
 * Of volumes of one name only one is offered: the one that a person wants offered, else that of the later claim. If
 * both are alike, their names decide. One that is not to be offered keeps its place: the next claim is not to get an
 * earlier one either.
 */
function outranks(one: Noted, other: Noted): boolean {
  const byWord = Number(isSaid(one.volume)) - Number(isSaid(other.volume));
  const byTime = one.note.right - other.note.right;
  return (byWord || byTime || (one.volume.metadata.name > other.volume.metadata.name ? 1 : -1)) > 0;
}

/**
 * The right of a volume that a person has offered: later than that of each other one of its name. Another clock may
 * have noted that, and been ahead.
 */
function rightFromNow(one: Noted, { noted }: NamespaceVolumes, now: number): number {
  const rivals = noted.filter((other) => other !== one && other.note.claim.name === one.note.claim.name);
  return Math.max(now, ...rivals.map(({ note }) => note.right + 1));
}

/**
 * When the volume of a claim that has just gone falls due, unless a person has written a later time on it, or an
 * unreadable one. If the duration is unreadable, a time in the past does not count: it was written before the deletion.
 */
function firstTime({ volume, note }: Noted, now: number): number {
  const written = reclaimTime(volume);
  const duration = readDuration(note.for);
  if (duration === undefined) return written <= now ? Number.POSITIVE_INFINITY : written;
  // By the API server's clock where this machine's is behind it: the claim has gone when the volume became Released.
  const since = Math.max(now, Date.parse(volume.status?.lastPhaseTransitionTime ?? "") || 0);
  // In whole seconds, as Kubernetes writes its times.
  const time = Math.ceil((since + duration) / 1000) * 1000;
  return Number.isFinite(written) ? Math.max(time, written) : Number.isNaN(written) ? written : time;
}

/** The end of "kept until". */
function inWords(time: number): string {
  if (Number.isNaN(time))
    return `its time can be read, because ${reclaimAtKey} is no time such as 2030-01-31T12:00:00Z`;
  return Number.isFinite(time) ? rfc3339(time) : `a person sets ${reclaimAtKey}`;
}

const rfc3339 = (time: number) => new Date(time).toISOString().replace(".000Z", "Z");
