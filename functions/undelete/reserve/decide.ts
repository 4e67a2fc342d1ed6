import type { Decision } from "../../../shared/decision.ts";
import { readDuration } from "../../../shared/duration.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Claim, Volume } from "../../../shared/storage/volume.ts";
import {
  forget,
  isAwaited,
  isRefusal,
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
/** Kubernetes' own: when a claim finds another volume, one that carries this becomes Available to all. */
const boundByController = "pv.kubernetes.io/bound-by-controller";

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
}

interface Surroundings extends Facts {
  /** All volumes of the namespace whose claims are gone. */
  readonly free: readonly Noted[];
  readonly otherNamespace: OtherNamespace;
}

/** What is to be done about the volumes of a namespace whose claims are gone. */
export function decideAll(facts: Facts, now: number, otherNamespace: OtherNamespace): readonly Decision[] {
  const noted = facts.volumes.flatMap((volume) => {
    const note = readNote(volume);
    return note && !isBeingDeleted(volume) ? { volume, note } : [];
  });
  const given = noted.filter(({ volume, note }) => !namesItsClaim(volume, note));
  // But for what is bound by now, or about to be, and what was left to Kubernetes to reclaim.
  const free = noted.filter(({ volume, note }) => {
    const { claimRef, persistentVolumeReclaimPolicy: policy } = volume.spec;
    const isTaken = claimRef?.uid !== undefined && claimRef.uid === facts.claims.get(note.claim.name)?.metadata.uid;
    return namesItsClaim(volume, note) && policy === "Retain" && !isTaken;
  });
  return [
    ...given.map(({ volume }) => {
      const title = `Volume ${volume.metadata.name}`;
      const because = `${title} is not kept for its claim any more, because somebody has given it to another.`;
      return forget(volume, "GivenToAnother", because);
    }),
    ...free.map((one) => decideVolume(one, { ...facts, free, otherNamespace }, now)),
  ];
}

function decideVolume(one: Noted, around: Surroundings, now: number): Decision {
  const { volume, note } = one;
  const { name } = volume.metadata;
  const isNew = note.step === "retained";
  const time = isNew ? firstTime(one, now) : reclaimTime(volume);
  const dated = isNew && time !== undefined && !Number.isNaN(time) ? { [reclaimAtKey]: rfc3339(time) } : {};
  const until = Number.isNaN(time)
    ? `its time can be read, because ${reclaimAtKey} is no time such as 2030-01-31T12:00:00Z`
    : time === undefined
      ? `somebody sets ${reclaimAtKey}`
      : rfc3339(time);
  const title = `Volume ${name} of claim ${note.claim.namespace}/${note.claim.name}`;
  const next = time === undefined ? {} : { next: time };
  const warning = Number.isNaN(time) ? "UnreadableTime" : undefined;

  const obstacle = obstacleTo(one, around);
  if (obstacle) {
    const { step, why } = obstacle;
    const kept = `${title} is kept until ${until}, and not offered, because ${why}.`;
    const annotations = { ...dated, ...(isRefused(one) ? {} : { [offerKey]: null }) };
    const wanted = { annotations, spec: { claimRef: { uid: note.claim.uid } } };
    const because = `${kept} To offer it: ${offering(volume)}`;
    const refused = isRefused(one) ? true : undefined;
    return keep(volume, { ...note, step, warning, refused }, because, wanted, next);
  }
  const passed = passedBy(one, around, time !== undefined && time <= now);
  const offer = `${title} is offered to a new claim of that name, and kept for it until ${until}.`;
  const offered: Note = {
    ...note,
    step: "offered",
    namespaceUid: isHome(one, around) ? around.namespace?.metadata.uid : undefined,
    right: isSaid(one) ? now : note.right,
    warning: warning ?? passed?.warning,
    refused: undefined,
  };
  const wanted = {
    annotations: { ...dated, [offerKey]: null, [boundByController]: null },
    spec: { claimRef: { uid: null, resourceVersion: null } },
  };
  return keep(volume, offered, passed ? `${offer} ${passed.says}` : offer, wanted, next);
}

/** Why a volume is not offered, as the end of a sentence; `undefined`: it is. */
function obstacleTo(one: Noted, around: Surroundings): { step: "asks" | "kept"; why: string } | undefined {
  const { namespace, claims, free, otherNamespace } = around;
  const { volume, note } = one;
  const { claim, namespaceUid } = note;
  if (isRefused(one)) return { step: "kept", why: `${offerKey} is ${volume.metadata.annotations?.[offerKey]}` };
  const isOffered = volume.spec.claimRef?.uid === undefined;
  const isAny = isSaid(one) || otherNamespace === "always" || (isOffered && namespaceUid === undefined);
  if (!isAny && !isHome(one, around)) {
    const who = namespace && !isBeingDeleted(namespace) ? "is another one now" : "is gone";
    const how =
      otherNamespace === "never"
        ? "OTHER_NAMESPACE is never"
        : "nobody has said who may have it, as by: " +
          `kubectl annotate namespace ${claim.namespace} ${successorKey}=${namespaceUid}`;
    return { step: "asks", why: `namespace ${claim.namespace} ${who}, and ${how}` };
  }
  const rival = free.find((other) => other.note.claim.name === claim.name && outranks(other, one));
  if (rival) return { step: "kept", why: `volume ${rival.volume.metadata.name} is of a later claim of that name` };
  const its = claims.get(claim.name)?.spec.volumeName;
  return its && !isOffered && !isSaid(one) ? { step: "kept", why: `its claim has volume ${its}` } : undefined;
}

/** Whether the namespace of that name is the one whose claim it was, or the one that was said to follow it. */
function isHome({ note: { namespaceUid } }: Noted, { namespace, otherNamespace }: Surroundings): boolean {
  if (!namespace || isBeingDeleted(namespace) || namespaceUid === undefined) return false;
  const { uid, annotations } = namespace.metadata;
  return uid === namespaceUid || (otherNamespace === "ask" && annotations?.[successorKey] === namespaceUid);
}

const isSaid = ({ volume }: Noted) => volume.metadata.annotations?.[offerKey] === "yes";

/** Whether a person wants it offered to nobody, as where a snapshot is to be restored under its claim's name. */
const isRefused = ({ volume }: Noted) => isRefusal(volume.metadata.annotations?.[offerKey]);

/**
 * Of volumes of one name one alone is offered: on a person's word, else of the later claim. The name makes it one. One
 * that is offered to nobody keeps its place: an earlier one is not what its claim's next is to have either.
 */
function outranks(one: Noted, other: Noted): boolean {
  const byWord = Number(isSaid(one)) - Number(isSaid(other));
  const byTime = one.note.right - other.note.right;
  return (byWord || byTime || (one.volume.metadata.name > other.volume.metadata.name ? 1 : -1)) > 0;
}

function offering({ metadata }: Volume): string {
  const overwrite = isRefusal(metadata.annotations?.[offerKey]) ? " --overwrite" : "";
  return `kubectl annotate pv ${metadata.name} ${offerKey}=yes${overwrite}`;
}

/** What a person must see to, where a claim of the name has not taken the volume that is offered to it. */
function passedBy({ volume, note }: Noted, { claims }: Surroundings, isDue: boolean) {
  const claim = claims.get(note.claim.name);
  const other = claim?.spec.volumeName;
  if (isDue && isAwaited(volume, claim)) {
    const says =
      "It is due, but there is a claim of that name without a volume: it stays until that has one or is gone.";
    return { warning: "ReclaimPostponed", says } as const;
  }
  if (!other || other === volume.metadata.name) return undefined;
  const says =
    `The claim that there is has volume ${other}, because it came before, or asks for another size, other access ` +
    "modes, another volume mode or another VolumeAttributesClass than this one has. To have this one bound: " +
    `${offering(volume)}, then delete that claim and create one that this is right for.`;
  return { warning: "AnotherVolumeBound", says } as const;
}

/** When it falls due whose claim has just gone, unless somebody has written a later time on it before, or no time. */
function firstTime({ volume, note }: Noted, now: number): number | undefined {
  const duration = readDuration(note.for);
  const written = reclaimTime(volume);
  if (duration === undefined || Number.isNaN(written)) return written;
  return Date.parse(rfc3339(Math.max(now + duration, written ?? 0)));
}

/** Whole seconds, as Kubernetes writes its times. */
const rfc3339 = (time: number) => new Date(Math.ceil(time / 1000) * 1000).toISOString().replace(".000Z", "Z");
