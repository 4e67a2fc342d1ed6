import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { readDuration } from "../../../shared/duration.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import {
  Event,
  type Kind,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { mapConcurrently } from "../../../shared/map-concurrently.ts";
import { on, rule } from "../../../shared/rule.ts";
import { warning } from "../../../shared/steps.ts";
import { type Claim, isBound, type Volume } from "../../../shared/storage/volume.ts";
import type { Subject } from "../../../shared/subject.ts";
import { due } from "../../../shared/sweep.ts";
import {
  forget,
  keep,
  type Note,
  namespaceLabel,
  noteWrites,
  noting,
  offerKey,
  readNote,
  reclaimAtKey,
} from "../lib/note.ts";
import { isEphemeral, keepKey, scopeOf } from "../lib/scope.ts";

/** On a volume: the provisioner that has made it, as Kubernetes and external-provisioner write it. */
const provisionedBy = "pv.kubernetes.io/provisioned-by";

/** A bound volume, and, read after it, what says how long it is kept. */
export interface Facts {
  readonly volume: Volume;
  readonly claim: Claim;
  readonly namespace: KubernetesObject;
  /** Read where neither claim nor namespace says anything. */
  readonly storageClass?: KubernetesObject | undefined;
}

export const retain = rule({
  ...noting,
  name: "undelete/retain",
  doc:
    "Gives a bound volume that is to outlive its claim the reclaim policy Retain, " +
    "and notes on it what it had and how long it is kept.",
  settings: z.object({}),
  triggers: [PersistentVolume, PersistentVolumeClaim, Namespace, StorageClass].map((kind) => on(kind, ["update"])),
  permissions: [
    {
      resource: PersistentVolume,
      verbs: ["get", "list", "patch"],
      writes: { ...noteWrites, fields: ["spec.persistentVolumeReclaimPolicy"] },
    },
    { resource: PersistentVolumeClaim, verbs: ["get"] },
    { resource: Namespace, verbs: ["get"] },
    { resource: StorageClass, verbs: ["get"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [due(PersistentVolume)],
  leavesBehind: [
    {
      kind: PersistentVolume,
      isOn: (object) => isRetained(object as Volume),
      what: "PersistentVolumes whose reclaim policy undelete/retain has set to Retain",
      effect:
        "They stay so, and nobody reclaims those whose claims are gone, or withdraws what is offered when a " +
        "namespace goes. To have them as they were, while the functions of undelete are installed: remove " +
        `${keepKey} from claims, namespaces and classes, and set ${reclaimAtKey} of volumes whose claims are gone ` +
        "to now. " +
        `kubectl get pv -l ${namespaceLabel} lists them.`,
    },
  ],
  concurrency: 100,
  subjects,
  look,
  decide: (facts, now) => facts.flatMap((one) => decideOne(one, now)),
});

/** Whether the volume has another policy than it came with, by this rule. */
function isRetained(volume: Volume): boolean {
  const note = readNote(volume);
  return note !== undefined && note.policy !== volume.spec.persistentVolumeReclaimPolicy;
}

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
  return !object || isToBeNoted(object as Volume) ? [{ kind: PersistentVolume, name }] : [];
}

/** Whether a volume has come to be other than it was noted: by a binding, or by a person. */
function isToBeNoted(volume: Volume): boolean {
  const note = readNote(volume);
  if (!note || volume.status?.phase !== "Bound") return false;
  const expected = volume.spec.persistentVolumeReclaimPolicy === "Retain" ? "retained" : "overruled";
  return note.step !== expected || note.claim.uid !== volume.spec.claimRef?.uid;
}

async function look({ kind, name = "" }: Subject, { client }: { readonly client: Client }): Promise<readonly Facts[]> {
  const volumes: Volume[] = [];
  if (kind === PersistentVolume) {
    const volume = await client.get<Volume>(PersistentVolume, undefined, name);
    if (volume) volumes.push(volume);
  } else
    for await (const volume of client.list<Volume>(PersistentVolume)) {
      const { claimRef, storageClassName } = volume.spec;
      if ((kind === Namespace ? claimRef?.namespace : storageClassName) === name) volumes.push(volume);
    }
  // Only after the list: if it breaks off, these requests would go on, and their results would not be used.
  const claims = await mapConcurrently(volumes, ({ spec: { claimRef: { namespace, name } = {} } }) =>
    name ? client.get<Claim>(PersistentVolumeClaim, namespace, name) : Promise.resolve(undefined),
  );
  // What is wider is read after what is narrower: whoever moves the annotation outwards writes it there first. Volumes
  // of one run share these reads.
  const bound = volumes.flatMap((volume, index) =>
    isBound(volume, claims[index]) ? [{ volume, claim: claims[index] }] : [],
  );
  const namespaces = await readEach(
    client,
    Namespace,
    bound.map(({ volume }) => volume.spec.claimRef?.namespace),
  );
  const facts = bound.flatMap(({ volume, claim }): readonly Facts[] => {
    const namespace = namespaces.get(volume.spec.claimRef?.namespace);
    return claim && namespace ? [{ volume, claim, namespace }] : [];
  });
  const asksClass = ({ volume, claim, namespace }: Facts) =>
    scopeOf(claim, namespace).by ? undefined : volume.spec.storageClassName;
  const classes = await readEach(client, StorageClass, facts.map(asksClass));
  return facts.map((one) => ({ ...one, storageClass: classes.get(asksClass(one)) }));
}

/** The metadata of the objects of these names, each read once. */
async function readEach(
  client: Client,
  kind: Kind,
  names: readonly (string | undefined)[],
): Promise<ReadonlyMap<string | undefined, KubernetesObject | undefined>> {
  const each = [...new Set(names)].filter((name): name is string => Boolean(name));
  const read = await mapConcurrently(each, (name) => client.get(kind, undefined, name, { metadataOnly: true }));
  return new Map(each.map((name, index) => [name, read[index]]));
}

function decideOne(facts: Facts, now: number): readonly Decision[] {
  const { volume, claim, namespace, storageClass } = facts;
  if (isBeingDeleted(volume)) return [];
  const note = readNote(volume);
  const { name, ownerReferences } = volume.metadata;
  const found = volume.spec.persistentVolumeReclaimPolicy as Note["policy"];
  const policy = note?.policy ?? found;
  const { by, text } = scopeOf(claim, namespace, storageClass);
  if (text === undefined) {
    // A claim that is going is not left without what was promised to it.
    if (!note || isBeingDeleted(claim) || (!by && isClassLost(facts, note))) return [];
    const message = `Volume ${name} is not kept after its claim any more, because nothing says so with ${keepKey}.`;
    return [forget(volume, "NotKeptAnyMore", message, { persistentVolumeReclaimPolicy: policy })];
  }
  // Two who decide what becomes of one volume would undo each other's work.
  const owner = note ? undefined : ownerReferences?.find(({ controller }) => controller);
  if (owner) {
    const message =
      `Volume ${name} is controlled by ${owner.kind} ${owner.name}, which decides how long it stays: ${keepKey} ` +
      `changes nothing of it. See to ${owner.kind} ${owner.name} to have its data kept.`;
    return [about(PersistentVolume, volume).stop(message, { event: warning("VolumeNotKept") })];
  }
  const ref = { namespace: namespace.metadata.name, name: claim.metadata.name, uid: claim.metadata.uid };
  const isKnown = note?.claim.uid === ref.uid;
  const written = text.slice(0, 32);
  const right = isKnown ? note.right : now;
  const standing = { policy, for: written, by, claim: ref, namespaceUid: namespace.metadata.uid, right };
  const annotations = isKnown ? {} : { [reclaimAtKey]: null, [offerKey]: null };
  if (note && found !== "Retain") {
    const message =
      `The reclaim policy of volume ${name} was set to ${found} after Holdfast had set it to Retain, and is left so: ` +
      "it goes with its claim. Set it to Retain to have the volume kept.";
    return [keep(volume, { ...standing, step: "overruled" }, message, { annotations })];
  }
  const isRead = readDuration(text) !== undefined;
  const until = isRead
    ? `for ${written}`
    : `until somebody sets ${reclaimAtKey}, because ${keepKey} is "${written}", no time such as 30m, 24h or 7d`;
  const message = `When claim ${ref.namespace}/${ref.name} is deleted, volume ${name} is kept ${until}.`;
  const retained: Note = { ...standing, step: "retained", warning: isRead ? undefined : "UnreadableTime" };
  const wanted = { annotations, spec: { persistentVolumeReclaimPolicy: "Retain" } };
  const source = claim.spec.dataSourceRef ?? claim.spec.dataSource;
  if (isKnown || note?.step !== "offered" || !source) return [keep(volume, retained, message, wanted)];
  // Kubernetes binds what is reserved for a claim, and does not look whether that asks for other content.
  const instead =
    `Claim ${ref.namespace}/${ref.name} asked for the content of ${source.kind} ${source.name}, and has got volume ` +
    `${name} instead, with the data of the claim of that name before. If that is not meant: ` +
    `kubectl annotate pv ${name} ${offerKey}=no, then delete the claim and create it again.`;
  return [keep(volume, retained, `${message} ${instead}`, wanted, { event: warning("FormerDataBound") })];
}

/**
 * Whether a class that is gone may have said something, which nobody knows any more. A static volume may name one that
 * never was; a provisioned one had its class.
 */
function isClassLost({ volume, claim, storageClass }: Facts, { by = "class" }: Note): boolean {
  if (!volume.spec.storageClassName || storageClass || isEphemeral(claim)) return false;
  return by === "class" || volume.metadata.annotations?.[provisionedBy] !== undefined;
}
