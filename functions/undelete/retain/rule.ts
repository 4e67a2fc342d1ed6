import * as z from "zod";
import type { Decision } from "../../../shared/decision.ts";
import { readDuration } from "../../../shared/duration.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import {
  Event,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { on, rule } from "../../../shared/rule.ts";
import { type Claim, isBound, type Volume } from "../../../shared/storage/volume.ts";
import type { Subject } from "../../../shared/subject.ts";
import { due } from "../../../shared/sweep.ts";
import { forget, type Note, namesItsClaim, offerKey, readNote, reclaimAtKey, settle, write } from "../lib/note.ts";
import { keepKey, scopeOf } from "../lib/scope.ts";

/** A volume, and, read after it, what says how long it is kept: only where it is bound. */
export interface Facts {
  readonly volume: Volume;
  readonly claim?: Claim;
  readonly namespace?: KubernetesObject | undefined;
  readonly storageClass?: KubernetesObject | undefined;
  readonly isClassGone?: boolean;
}

export const retain = rule({
  name: "undelete/retain",
  doc: "Gives a bound volume that is to outlive its claim the reclaim policy Retain, and notes on it what it had and how long it is kept.",
  settings: z.object({}),
  wakes: [
    on(PersistentVolume, ["update"]),
    on(PersistentVolumeClaim, ["update"]),
    on(Namespace, ["update"]),
    on(StorageClass, ["update"]),
  ],
  may: [
    { resource: PersistentVolume, verbs: ["get", "list", "patch"] },
    { resource: PersistentVolumeClaim, verbs: ["get"] },
    { resource: Namespace, verbs: ["get"] },
    { resource: StorageClass, verbs: ["get"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [due(PersistentVolume)],
  concurrency: 100,
  subjects,
  look,
  decide: (facts, now) => facts.flatMap((one) => decideVolume(one, now) ?? []),
});

/** What an event of a class or a namespace says is about all of its volumes. */
function subjects({ kind, change, namespace, name, object }: Hint): readonly Subject[] {
  if (change === "delete") return [];
  if (kind === "Namespace") return [{ kind: Namespace, name }];
  if (kind === "StorageClass") return [{ kind: StorageClass, name }];
  if (kind === "PersistentVolumeClaim") {
    if (!object) return namespace ? [{ kind: Namespace, name: namespace }] : [];
    const volumeName = (object as Partial<Claim>).spec?.volumeName;
    return volumeName ? [{ kind: PersistentVolume, name: volumeName }] : [];
  }
  const volume = object as Volume | undefined;
  return !volume || volume.status?.phase === "Bound" || readNote(volume) ? [{ kind: PersistentVolume, name }] : [];
}

async function look({ kind, name = "" }: Subject, { client }: { readonly client: Client }): Promise<readonly Facts[]> {
  if (kind === PersistentVolume) {
    const volume = await client.get<Volume>(PersistentVolume, undefined, name);
    return volume ? [await lookAround(client, volume)] : [];
  }
  const found: Volume[] = [];
  for await (const volume of client.list<Volume>(PersistentVolume)) {
    const { claimRef, storageClassName } = volume.spec;
    if ((kind === Namespace ? claimRef?.namespace : storageClassName) === name) found.push(volume);
  }
  // Not before the list has come to its end: nobody would wait for them where it breaks off.
  return Promise.all(found.map((volume) => lookAround(client, volume)));
}

async function lookAround(client: Client, volume: Volume): Promise<Facts> {
  const { claimRef, storageClassName } = volume.spec;
  const { namespace = "", name } = claimRef ?? {};
  const claim = name && (await client.get<Claim>(PersistentVolumeClaim, namespace, name));
  if (!claim || !isBound(volume, claim)) return { volume };
  const home = await client.get(Namespace, undefined, namespace, { metadataOnly: true });
  const storageClass =
    storageClassName && (await client.get(StorageClass, undefined, storageClassName, { metadataOnly: true }));
  // A class that is gone: what it said nobody can tell any more.
  return {
    volume,
    claim,
    namespace: home,
    storageClass: storageClass || undefined,
    isClassGone: Boolean(storageClassName && !storageClass),
  };
}

function decideVolume(facts: Facts, now: number): Decision | undefined {
  const { volume, claim, namespace, storageClass } = facts;
  if (isBeingDeleted(volume)) return undefined;
  const note = readNote(volume);
  if (!claim || !namespace) return note && decideUnbound(volume, note, now);
  const { name } = volume.metadata;
  const found = volume.spec.persistentVolumeReclaimPolicy as Note["policy"];
  const text = scopeOf(claim, namespace, storageClass);
  if (text === undefined) {
    const isSaid = [claim, namespace].some(({ metadata }) => metadata.annotations?.[keepKey] !== undefined);
    // A claim that is going is not left without what was promised to it; nor one whose class nobody can ask any more.
    if (!note || isBeingDeleted(claim) || (facts.isClassGone && !isSaid)) return undefined;
    const because = `Volume ${name} is not kept after its claim any more, because nothing says so with ${keepKey}.`;
    const isOurs = found === "Retain" && note.step !== "overruled";
    return forget(
      volume,
      "NotKeptAnyMore",
      because,
      isOurs ? { persistentVolumeReclaimPolicy: note.policy } : undefined,
    );
  }
  const ref = { namespace: namespace.metadata.name, name: claim.metadata.name, uid: claim.metadata.uid };
  const isKnown = note?.claim.uid === ref.uid;
  const own = {
    claim: ref,
    namespaceUid: namespace.metadata.uid,
    for: text.slice(0, 32),
    right: isKnown ? note.right : now,
  };
  const stale = isKnown
    ? []
    : [reclaimAtKey, offerKey].filter((key) => volume.metadata.annotations?.[key] !== undefined);
  const annotations = Object.fromEntries(stale.map((key) => [key, null]));
  if (note && found !== "Retain") {
    const because =
      `The reclaim policy of volume ${name} was set to ${found} after Holdfast had set it to Retain, and is left so: it goes with ` +
      "its claim. Set it to Retain to have the volume kept.";
    return write(volume, { ...own, step: "overruled", policy: found }, because, now, { annotations });
  }
  // Retain by a person's hand stays, now and in the end.
  const policy = note && note.step !== "overruled" ? note.policy : found;
  const unreadable = readDuration(text) === undefined;
  const advice = `until somebody sets ${reclaimAtKey}, because ${keepKey} is "${own.for}", which is no time such as 30m, 24h or 7d`;
  const long = unreadable ? advice : `for ${text}`;
  const because = `When claim ${ref.namespace}/${ref.name} is deleted, volume ${name} is kept ${long}.`;
  const spec = found === "Retain" ? undefined : { persistentVolumeReclaimPolicy: "Retain" };
  return write(volume, { ...own, step: "retained", policy }, because, now, { annotations, spec, unreadable });
}

/** A volume that is not bound is reserve's and expire's; what people do to it is seen here. */
function decideUnbound(volume: Volume, note: Note, now: number): Decision | undefined {
  if (namesItsClaim(volume, note))
    return ["retained", "overruled"].includes(note.step) ? undefined : settle(volume, note, now);
  const because = `Volume ${volume.metadata.name} is not kept for its claim any more, because somebody has given it to another.`;
  return forget(volume, "GivenToAnother", because);
}
