import * as z from "zod";
import { about } from "../../../shared/about.ts";
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
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { on, rule } from "../../../shared/rule.ts";
import { warning } from "../../../shared/steps.ts";
import { type Claim, isBound, type Volume } from "../../../shared/storage/volume.ts";
import type { Subject } from "../../../shared/subject.ts";
import { due } from "../../../shared/sweep.ts";
import {
  forget,
  isAsItWasNoted,
  keep,
  type Note,
  namesItsClaim,
  noting,
  offerKey,
  readNote,
  reclaimAtKey,
} from "../lib/note.ts";
import { keepKey, scopeOf } from "../lib/scope.ts";

/** A volume, and, read after it, what says how long it is kept: only where it is bound. */
export interface Facts {
  readonly volume: Volume;
  readonly claim?: Claim;
  readonly namespace?: KubernetesObject | undefined;
  readonly storageClass?: KubernetesObject | undefined;
  /** What the class said nobody can tell any more, and nobody else says anything. */
  readonly isClassGone?: boolean;
}

export const retain = rule({
  ...noting,
  name: "undelete/retain",
  doc:
    "Gives a bound volume that is to outlive its claim the reclaim policy Retain, " +
    "and notes on it what it had and how long it is kept.",
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
  decide: (facts, now) => facts.flatMap((one) => (one.claim ? decideBound(one, now) : decideUnbound(one, now)) ?? []),
});

/** What an event of a class or a namespace says is about all of its volumes. */
function subjects({ kind, change, namespace, name, object }: Hint): readonly Subject[] {
  if (change === "delete") return [];
  if (kind === "Namespace") return [{ kind: Namespace, name }];
  if (kind === "StorageClass") return [{ kind: StorageClass, name }];
  if (kind === "PersistentVolumeClaim") {
    if (!object) return namespace ? [{ kind: Namespace, name: namespace }] : [];
    const { spec, status } = object as Partial<Claim>;
    // Kubernetes has bound the volume before it says so of the claim, which it does last.
    return status?.phase === "Bound" && spec?.volumeName ? [{ kind: PersistentVolume, name: spec.volumeName }] : [];
  }
  return !object || readNote(object as Volume) ? [{ kind: PersistentVolume, name }] : [];
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
  const claim =
    claimRef?.name && (await client.get<Claim>(PersistentVolumeClaim, claimRef.namespace ?? "", claimRef.name));
  if (!claim || !isBound(volume, claim)) return { volume };
  const namespace = await client.get(Namespace, undefined, claimRef.namespace ?? "", { metadataOnly: true });
  const isSaid = [claim, namespace].some((object) => object?.metadata.annotations?.[keepKey] !== undefined);
  if (isSaid || !storageClassName) return { volume, claim, namespace };
  const storageClass = await client.get(StorageClass, undefined, storageClassName, { metadataOnly: true });
  return { volume, claim, namespace, storageClass, isClassGone: !storageClass };
}

/** Two who decide what becomes of one volume would undo each other's work. */
function leftToItsController(volume: Volume, { kind, name }: OwnerReference): Decision {
  const because =
    `Volume ${volume.metadata.name} is controlled by ${kind} ${name}, which decides how long it stays: ` +
    `${keepKey} changes nothing of it. See to ${kind} ${name} to have its data kept.`;
  return about(PersistentVolume, volume).stop(because, { event: warning("VolumeNotKept") });
}

function decideBound(
  { volume, claim, namespace, storageClass, isClassGone }: Facts,
  now: number,
): Decision | undefined {
  if (!claim || !namespace || isBeingDeleted(volume)) return undefined;
  const note = readNote(volume);
  const { name } = volume.metadata;
  const found = volume.spec.persistentVolumeReclaimPolicy as Note["policy"];
  const text = scopeOf(claim, namespace, storageClass);
  if (text === undefined) {
    // A claim that is going is not left without what was promised to it.
    if (!note || isBeingDeleted(claim) || isClassGone) return undefined;
    const because = `Volume ${name} is not kept after its claim any more, because nothing says so with ${keepKey}.`;
    const isOurs = found === "Retain" && note.step !== "overruled";
    return forget(volume, now, "NotKeptAnyMore", because, isOurs ? { persistentVolumeReclaimPolicy: note.policy } : {});
  }
  const controller = note ? undefined : volume.metadata.ownerReferences?.find(({ controller }) => controller);
  if (controller) return leftToItsController(volume, controller);
  const ref = { namespace: namespace.metadata.name, name: claim.metadata.name, uid: claim.metadata.uid };
  const isKnown = note?.claim.uid === ref.uid;
  const isOverruled = note !== undefined && found !== "Retain";
  const isUnread = !isOverruled && readDuration(text) === undefined;
  const written = text.slice(0, 32);
  const advice =
    `until somebody sets ${reclaimAtKey}, because ${keepKey} is "${written}", which is no time such as 30m, ` +
    "24h or 7d";
  const because = isOverruled
    ? `The reclaim policy of volume ${name} was set to ${found} after Holdfast had set it to Retain, and is left ` +
      "so: it goes with its claim. Set it to Retain to have the volume kept."
    : `When claim ${ref.namespace}/${ref.name} is deleted, volume ${name} is kept ` +
      `${isUnread ? advice : `for ${written}`}.`;
  const standing: Note = {
    step: isOverruled ? "overruled" : "retained",
    because,
    // Retain by a person's hand stays, now and in the end.
    policy: note && !isOverruled && note.step !== "overruled" ? note.policy : found,
    for: written,
    claim: ref,
    namespaceUid: namespace.metadata.uid,
    right: isKnown ? note.right : now,
    ...(isUnread ? { unreadable: true } : {}),
  };
  const annotations = isKnown ? {} : { [reclaimAtKey]: null, [offerKey]: null };
  return keep(volume, standing, now, {
    annotations,
    spec: isOverruled ? {} : { persistentVolumeReclaimPolicy: "Retain" },
  });
}

/**
 * A volume that is not bound is reserve's; that people have changed something of it is seen here, and the sweep sent
 * there.
 */
function decideUnbound({ volume }: Facts, now: number): Decision | undefined {
  const note = readNote(volume);
  if (!note || isBeingDeleted(volume)) return undefined;
  if (namesItsClaim(volume, note))
    return ["retained", "overruled"].includes(note.step) || isAsItWasNoted(volume, note)
      ? undefined
      : keep(volume, note, now, { next: Math.min(Date.parse(note.next ?? "") || now, now) });
  const because =
    `Volume ${volume.metadata.name} is not kept for its claim any more, ` + "because somebody has given it to another.";
  return forget(volume, now, "GivenToAnother", because);
}
