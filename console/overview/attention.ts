import { approvalKey, conditions } from "../../functions/eviction/lib/names.ts";
import { readNote, reclaimTime } from "../../functions/undelete/lib/note.ts";
import { phaseOf, type VolumeObject } from "../../functions/volume/lib/volume.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Volume } from "../../shared/storage/volume.ts";
import type { EventObject } from "../api/events.ts";
import { lastSeen } from "../api/events.ts";
import { ApiServerSource, Deployment, Service } from "../api/kinds.ts";
import { conditionOf, conditionsOf, lastWords, type ShownCondition } from "../api/progress.ts";
import { needsPerson } from "../eviction/counters.ts";
import { heldBecause } from "../parts/object-state.ts";
import type { Tone } from "../parts/state.tsx";
import { messageOf } from "../volumes/volume-state.ts";

/** What is to be known of an object that does not rest. */
export const tones = {
  "needs a person": "bad",
  failed: "bad",
  warned: "warning",
  held: "warning",
  "due soon": "warning",
  kept: "busy",
  waits: "busy",
} as const satisfies Record<string, Tone>;

type StateWord = keyof typeof tones;

export interface Item {
  readonly id: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly state: StateWord;
  readonly why: string;
  /** RFC 3339. */
  readonly since: string | undefined;
}

/** Whether a function or a source works: by its condition Ready, or that of a Deployment. */
export const readyOf = (object: KubernetesObject): ShownCondition | undefined =>
  conditionOf(object, "Ready") ?? conditionOf(object, "Available");

/** A kept volume whose time comes within so many milliseconds is due soon. */
const soon = 86_400_000;

/** What an object waits for, or who it waits for; `undefined` where it is at rest. */
export function attentionOf(object: KubernetesObject, now: number): Item | undefined {
  const found = inWords(object, now);
  if (!found) return undefined;
  const [state, why, since] = found;
  const { uid, namespace, name } = object.metadata;
  return { id: uid, kind: object.kind, namespace, name, state, why, since };
}

type Found = readonly [state: StateWord, why: string, since: string | undefined] | undefined;

function inWords(object: KubernetesObject, now: number): Found {
  if (object.kind === "Volume" && phaseOf(object as VolumeObject) === "Failed") {
    const since = conditionsOf(object)[0]?.lastTransitionTime;
    return ["failed", messageOf(object as VolumeObject) || "The Volume has failed.", since];
  }
  const broken = brokenInWords(object);
  if (broken) return broken;
  const error = conditionsOf(object).find(({ status, reason }) => status !== "True" && reason === "Error");
  if (error) return ["needs a person", error.message ?? "", error.lastTransitionTime];
  const evicted = conditionOf(object, conditions.evicted);
  const why = conditionOf(object, conditions.converged)?.message;
  if (evicted && needsPerson(evicted.message)) return ["needs a person", why ?? "", evicted.lastTransitionTime];
  const held = heldBecause(object);
  if (held) return ["held", held, object.metadata.deletionTimestamp];
  return keptInWords(object, now) ?? waitingInWords(object);
}

/** A function or a source of Holdfast that cannot do its work. */
function brokenInWords(object: KubernetesObject): Found {
  if (![Service, Deployment, ApiServerSource].some(({ kind }) => kind === object.kind)) return undefined;
  const ready = readyOf(object);
  if (ready?.status !== "False") return undefined;
  return ["failed", ready.message || "It is not ready.", ready.lastTransitionTime];
}

function keptInWords(object: KubernetesObject, now: number): Found {
  if (object.kind !== "PersistentVolume") return undefined;
  const volume = object as Volume;
  const note = readNote(volume);
  const word = lastWords(object).find(({ rule }) => rule === "undelete/note");
  if (!note || !word || note.step === "retained") return undefined;
  if (["asks", "overruled", "unkept"].includes(note.step)) return ["needs a person", word.because, word.since];
  return [reclaimTime(volume) - now < soon ? "due soon" : "kept", word.because, word.since];
}

/** A rule looks again at a time, or says that a person has to agree. */
function waitingInWords(object: KubernetesObject): Found {
  const dependency = conditionsOf(object).find(({ type, reason }) => type === "Converged" && reason === "Dependency");
  const { message = "", lastTransitionTime } = dependency ?? {};
  if (dependency) return [message.includes(approvalKey) ? "needs a person" : "waits", message, lastTransitionTime];
  const [word] = lastWords(object).filter(({ rule, next }) => next && rule !== "undelete/note");
  return word && ["waits", word.because, word.since];
}

/** The objects that Holdfast has warned of; each once, with the last Warning. */
export function itemsOfEvents(events: readonly EventObject[]): readonly Item[] {
  const latest = events.toSorted((one, other) => (lastSeen(one) < lastSeen(other) ? 1 : -1));
  const items = latest.flatMap(({ regarding, reason = "Warning", note = "", metadata }): Item[] => {
    if (!regarding) return [];
    const { kind, namespace, name } = regarding;
    const id = `${kind}/${namespace}/${name}/${reason}`;
    const since = metadata.creationTimestamp;
    return [{ id, kind, namespace, name, state: "warned", why: `${reason}: ${note}`, since }];
  });
  return [...Map.groupBy(items, ({ id }) => id).values()].flatMap(([last]) => last ?? []);
}
