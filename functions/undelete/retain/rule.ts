import { about } from "../../../shared/about.ts";
import type { Decision, Precondition } from "../../../shared/decision.ts";
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
  ResourceQuota,
  StorageClass,
} from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import { lookAtEach, wholeOr } from "../../../shared/look-at-each.ts";
import { mapConcurrently } from "../../../shared/map-concurrently.ts";
import { on, rule } from "../../../shared/rule.ts";
import { normal, warning } from "../../../shared/steps.ts";
import { type Claim, isBound, type Volume } from "../../../shared/storage/volume.ts";
import type { Subject } from "../../../shared/subject.ts";
import { due } from "../../../shared/sweep.ts";
import { keptBytes } from "../lib/kept-bytes.ts";
import {
  concernOf,
  forget,
  giveAway,
  isHandedOver,
  keep,
  type Note,
  namespaceLabel,
  noteBounds,
  noteWrites,
  noting,
  offerKey,
  readNote,
  reclaimAtKey,
  stopAtNewerNote,
} from "../lib/note.ts";
import { isEphemeral, keepKey, scopeOf } from "../lib/scope.ts";
import { type Reached, reachedLimit, readRoom } from "./limits.ts";
import { type Settings, settings } from "./settings.ts";

/** On a volume: the provisioner that has made it, as Kubernetes and external-provisioner write it. */
const provisionedBy = "pv.kubernetes.io/provisioned-by";

/** A bound volume, and, read after it, what says how long it is kept. */
export interface Facts {
  readonly volume: Volume;
  readonly claim: Claim;
  readonly namespace: KubernetesObject;
  /** Read where neither claim nor namespace says anything. */
  readonly storageClass?: KubernetesObject | undefined;
  /** The limit on what is kept after deleted claims that the namespace has reached. */
  readonly reached?: Reached | undefined;
}

/** How often it is looked whether a volume can be kept again. */
const hour = 3_600_000;

export const retain = rule({
  ...noting,
  name: "undelete/retain",
  doc:
    "Sets the reclaim policy Retain on a bound volume that is to be kept after its claim, " +
    "and notes on it the former policy and how long to keep it.",
  settings,
  triggers: [
    ...[PersistentVolume, PersistentVolumeClaim, Namespace].map((kind) => on(kind, ["update"])),
    // Most of a class can only be changed by deleting it and creating it again.
    on(StorageClass, ["add", "update"]),
  ],
  permissions: [
    {
      resource: PersistentVolume,
      verbs: ["get", "list", "patch"],
      why: "to find volumes of claims that are to be kept, and to set their reclaim policy and note the former one",
      writes: { ...noteWrites, fields: ["spec.persistentVolumeReclaimPolicy"] },
      bounds: noteBounds,
    },
    {
      resource: PersistentVolumeClaim,
      verbs: ["get"],
      why: "to see whether the claim has the volume, and whether it asks to keep it",
    },
    {
      resource: Namespace,
      verbs: ["get"],
      why: "to read the annotation by which a namespace keeps the volumes of its claims",
    },
    { resource: StorageClass, verbs: ["get"], why: "to read the annotation by which a class keeps its volumes" },
    {
      resource: ResourceQuota,
      verbs: ["list"],
      why: "to see how much the namespace may keep after its claims are deleted",
    },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record on volumes and claims what is kept, and to delete Events that no longer hold",
    },
  ],
  sweep: [due(PersistentVolume)],
  leavesBehind: [
    {
      kind: PersistentVolume,
      isOn: (object) => isRetained(object as Volume),
      what: "PersistentVolumes whose reclaim policy undelete/retain has set to Retain",
      effect:
        "They stay so. No controller reclaims those whose claims are gone, or withdraws an offer when a " +
        "namespace is deleted. To restore them while the functions of undelete are installed: remove " +
        `${keepKey} from claims, namespaces and classes, and set ${reclaimAtKey} of volumes whose claims are gone ` +
        "to now. " +
        `\`kubectl get pv -l ${namespaceLabel}\` lists them.`,
    },
  ],
  concurrency: 100,
  subjects,
  look,
  decide: (facts, now, settings) => facts.flatMap((one) => decideOne(one, now, settings)),
});

/** Whether the volume has another policy than it came with, by this rule. */
function isRetained(volume: Volume): boolean {
  const note = readNote(volume);
  return note !== undefined && note.policy !== volume.spec.persistentVolumeReclaimPolicy;
}

/** What an event of a class or a namespace says is about all of its volumes. */
function subjects({ kind, change, namespace, name, object }: Hint, { mostKept }: Settings): readonly Subject[] {
  if (change === "delete") return [];
  if (kind === "Namespace") return [{ kind: Namespace, name }];
  if (kind === "StorageClass") {
    // When a source starts, it says of every class that it is added.
    const isSilent = change === "add" && object && object.metadata.annotations?.[keepKey] === undefined;
    return isSilent ? [] : [{ kind: StorageClass, name }];
  }
  if (kind === "PersistentVolumeClaim") {
    if (!object) return namespace ? [{ kind: Namespace, name: namespace }] : [];
    const { spec, status } = object as Partial<Claim>;
    // Kubernetes has bound the volume before it says so of the claim, which it does last.
    return status?.phase === "Bound" && spec?.volumeName ? [{ kind: PersistentVolume, name: spec.volumeName }] : [];
  }
  if (!object || isToBeNoted(object as Volume)) return [{ kind: PersistentVolume, name }];
  // With one more that is kept, others of the namespace may be one too many.
  const home = mostKept !== "none" && keptBytes(object as Volume) > 0 && readNote(object as Volume)?.claim.namespace;
  return home ? [{ kind: PersistentVolume, namespace: home }] : [];
}

/** Whether a volume has come to be other than it was noted: by a binding, or by a person who took its label off. */
function isToBeNoted(volume: Volume): boolean {
  const note = readNote(volume);
  if (!note || volume.status?.phase !== "Bound") return false;
  const expected = volume.spec.persistentVolumeReclaimPolicy === "Retain" ? ["retained"] : ["overruled", "unkept"];
  if (volume.metadata.labels?.[namespaceLabel] !== note.claim.namespace) return true;
  return !expected.includes(note.step) || note.claim.uid !== volume.spec.claimRef?.uid;
}

async function look(
  subject: Subject,
  { client, settings }: { readonly client: Client; readonly settings: Settings },
): Promise<readonly Facts[]> {
  const volumes = await readVolumes(subject, client, settings);
  // Only after the list: if it breaks off, these requests would go on, and their results would not be used.
  const { looked, failures } = await lookAtEach(volumes, subjectOf, async (volume) => {
    const { namespace, name } = volume.spec.claimRef ?? {};
    return { volume, claim: name ? await client.get<Claim>(PersistentVolumeClaim, namespace, name) : undefined };
  });
  // Claims first, then namespaces, then classes: a person who moves the annotation from a claim to its namespace or
  // class writes it there first. Volumes of one run share these reads.
  const bound = looked.filter(({ volume, claim }) => isBound(volume, claim));
  const homes = await lookAtEach(
    [...new Set(bound.flatMap(({ volume }) => volume.spec.claimRef?.namespace ?? []))],
    (name) => ({ kind: Namespace, name }),
    async (name) => [name, await client.get(Namespace, undefined, name, { metadataOnly: true })] as const,
  );
  const namespaces = new Map(homes.looked);
  const facts = bound.flatMap(({ volume, claim }): readonly Facts[] => {
    const namespace = namespaces.get(volume.spec.claimRef?.namespace ?? "");
    return claim && namespace ? [{ volume, claim, namespace }] : [];
  });
  const asksClass = ({ volume, claim, namespace }: Facts) =>
    scopeOf(claim, namespace, undefined, settings.claimAnnotation).by ? undefined : volume.spec.storageClassName;
  const classes = await readEach(client, StorageClass, facts.map(asksClass));
  const all = facts.map((one) => ({ ...one, storageClass: classes.get(asksClass(one)) }));
  const asking = new Set(all.filter((one) => mayBeLimited(one, settings)));
  const read = await lookAtEach(
    [...new Set([...asking].map(({ namespace }) => namespace.metadata.name))],
    (name) => ({ kind: Namespace, name }),
    async (name) => [name, await readRoom(client, name, settings)] as const,
  );
  const rooms = new Map(read.looked);
  const seen = all.flatMap((one): readonly Facts[] => {
    if (!asking.has(one)) return [one];
    const room = rooms.get(one.namespace.metadata.name);
    return room ? [{ ...one, reached: reachedLimit(one.volume, room) }] : [];
  });
  return wholeOr(seen, [...failures, ...homes.failures, ...read.failures]);
}

const subjectOf = ({ metadata: { name } }: Volume) => ({ kind: PersistentVolume, name });

/** The volumes that a subject means: of a namespace those that what is kept there by now changes. */
async function readVolumes(
  { kind, name, namespace = "" }: Subject,
  client: Client,
  settings: Settings,
): Promise<readonly Volume[]> {
  if (kind === PersistentVolume && name !== undefined) {
    const volume = await client.get<Volume>(PersistentVolume, undefined, name);
    return volume ? [volume] : [];
  }
  if (kind === PersistentVolume) {
    const room = await readRoom(client, namespace, settings);
    return room.noted.filter(
      (volume) => readNote(volume)?.step === (reachedLimit(volume, room) ? "retained" : "unkept"),
    );
  }
  const volumes: Volume[] = [];
  for await (const volume of client.list<Volume>(PersistentVolume)) {
    const { claimRef, storageClassName } = volume.spec;
    if ((kind === Namespace ? claimRef?.namespace : storageClassName) === name) volumes.push(volume);
  }
  return volumes;
}

/**
 * Whether a limit may hold for the volume. The annotation of a namespace is an administrator's word about it, and
 * stands above a quota: who may annotate a claim, or create one of an annotated class, may not write it.
 */
function mayBeLimited({ claim, namespace, storageClass }: Facts, { mostKept, claimAnnotation }: Settings): boolean {
  if (mostKept === "none" || scopeOf(claim, namespace, storageClass, claimAnnotation).text === undefined) return false;
  return mostKept !== "quota" || scopeOf(claim, namespace, undefined, "ignored").text === undefined;
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

function decideOne(facts: Facts, now: number, settings: Settings): readonly Decision[] {
  const { volume, claim, namespace, storageClass, reached } = facts;
  if (isBeingDeleted(volume)) return [];
  const stopped = stopAtNewerNote(volume);
  if (stopped) return [stopped];
  const note = noteFor(claim, volume);
  const { name, ownerReferences } = volume.metadata;
  const found = volume.spec.persistentVolumeReclaimPolicy as Note["policy"];
  const policy = note?.policy ?? found;
  const { by, text } = scopeOf(claim, namespace, storageClass, settings.claimAnnotation);
  // What was read first may say otherwise by now: it is deleted, or a person has moved the annotation to it.
  const taken = [whileItStays(PersistentVolumeClaim, claim), whileItStays(Namespace, namespace)];
  // What was promised to a claim that is going stays promised. All claims of a namespace that is going are.
  const isGoing = isBeingDeleted(claim) || isBeingDeleted(namespace);
  if (text === undefined) {
    const former = note ? undefined : readNote(volume);
    if (former && isHandedOver(volume, former)) return [giveAway(volume)];
    if (!note || isGoing || (!by && isClassLost(facts, note))) return [];
    const message = `Volume ${name} is not kept after its claim any more, because nothing says so with ${keepKey}.`;
    const instead = boundInstead(claim, volume, note);
    const event = instead ? warning("FormerDataBound") : normal("NotKeptAnyMore");
    const spec = { persistentVolumeReclaimPolicy: policy };
    return [forget(volume, event, `${message} ${instead}`.trimEnd(), spec, taken)];
  }
  // Two who decide what becomes of one volume would undo each other's work.
  const owner = note ? undefined : ownerReferences?.find(({ controller }) => controller);
  if (owner) {
    const message =
      `Volume ${name} is controlled by ${owner.kind} ${owner.name}, which decides how long it stays: ${keepKey} ` +
      `has no effect on it. To keep its data, keep ${owner.kind} ${owner.name}.`;
    return [about(PersistentVolume, volume).stop(message, { event: warning("VolumeNotKept") })];
  }
  const ref = { namespace: namespace.metadata.name, name: claim.metadata.name, uid: claim.metadata.uid };
  const isKnown = note?.claim.uid === ref.uid;
  const written = text.slice(0, 32);
  const time = timeOf(text, settings.longestKeep);
  const right = isKnown ? note.right : boundAt(volume, claim, now);
  const asked = askedBy(claim, volume);
  const standing = { policy, for: time.text, by, claim: ref, asked, namespaceUid: namespace.metadata.uid, right };
  // A person may have refused an offer since this claim got its volume again, before any look.
  const offer = volume.metadata.annotations?.[offerKey];
  const isRefused = note !== undefined && offer !== undefined && offer !== "yes";
  const annotations = isKnown ? {} : { [reclaimAtKey]: null, ...(isRefused ? {} : { [offerKey]: null }) };
  if (note && note.step !== "unkept" && found !== "Retain") {
    const message =
      `The reclaim policy of volume ${name} was set to ${found} after Holdfast had set it to Retain, and is left so: ` +
      "it goes with its claim. Set it to Retain to have the volume kept.";
    return [keep(volume, { ...standing, step: "overruled" }, message, { annotations })];
  }
  const instead = boundInstead(claim, volume, note);
  const isPromised = note !== undefined && note.step !== "unkept" && isGoing;
  if (reached && policy !== "Retain" && !isPromised) {
    const message =
      `When claim ${ref.namespace}/${ref.name} is deleted, volume ${name} goes with it (${policy}), as without ` +
      `Holdfast: namespace ${ref.namespace} keeps ${Math.floor(reached.kept / 2 ** 20)} MiB after deleted claims, ` +
      `and ${reached.setBy}. To have this one kept, ${reached.raise}, or have some of ` +
      `them reclaimed, which deletes their data: \`kubectl get pv -l ${namespaceLabel}=${ref.namespace}\``;
    const left = { annotations, spec: { persistentVolumeReclaimPolicy: policy } };
    // The same time for all, and no other until then: each look would write it again.
    const again = Math.ceil((now + 1) / hour) * hour;
    const event = instead ? { event: warning("FormerDataBound") } : {};
    const more = { due: again, ...event, ...(found === policy ? {} : { preconditions: taken }) };
    const unkept: Note = { ...standing, step: "unkept", warning: undefined };
    // Another run may have kept it again, and have said so on the claim.
    const isLeft = { kind: PersistentVolume, namespace: undefined, name, holds: hasStep("unkept") };
    const said = {
      progress: "unchanged" as const,
      event: noting.steps.unkept,
      order: 1,
      concern: concernOf(unkept),
      preconditions: [isLeft],
    };
    return [
      keep(volume, unkept, `${message} ${instead}`.trimEnd(), left, more),
      about(PersistentVolumeClaim, claim).write(message, [], said),
    ];
  }
  const shorter = time.isCut
    ? `, which is the longest (LONGEST_KEEP): ${keepKey} is "${written}"${time.isRead ? "" : ", no time such as 24h"}`
    : "";
  const until =
    time.isRead || time.isCut
      ? `for ${time.text}${shorter}`
      : `until a person sets ${reclaimAtKey}, because ${keepKey} is "${written}", no time such as 30m, 24h or 7d`;
  const message = `When claim ${ref.namespace}/${ref.name} is deleted, volume ${name} is kept ${until}.`;
  const retained: Note = { ...standing, step: "retained", warning: time.isRead ? undefined : "UnreadableTime" };
  const wanted = { annotations, spec: { persistentVolumeReclaimPolicy: "Retain" } };
  // Only when it is so: who reads it may delete the claim.
  const concern = concernOf(retained);
  const again = {
    progress: "unchanged" as const,
    event: normal("VolumeKeptAgain"),
    clears: ["NamespaceFull"],
    order: 1,
    concern,
  };
  const reported = note?.step === "unkept" ? [about(PersistentVolumeClaim, claim).write(message, [], again)] : [];
  if (!instead) return [keep(volume, retained, message, wanted), ...reported];
  const advice =
    `If you do not want this: \`kubectl annotate pv ${name} ${offerKey}=no\`, then delete the claim and ` +
    "create it again.";
  return [keep(volume, retained, `${message} ${instead} ${advice}`, wanted, { event: warning("FormerDataBound") })];
}

/**
 * Says whose data the claim has if it asked for other content; empty otherwise. Kubernetes binds what is reserved for a
 * claim, and does not look whether that asks for other content.
 */
function boundInstead(claim: Claim, volume: Volume, note: Note | undefined): string {
  const source = claim.spec.dataSourceRef ?? claim.spec.dataSource;
  if (!source || note?.step !== "offered" || note.claim.uid === claim.metadata.uid) return "";
  const { namespace, name } = claim.metadata;
  return (
    `Claim ${namespace}/${name} asked for the content of ${source.kind} ${source.name}, and has got volume ` +
    `${volume.metadata.name} instead, with the data of the claim of that name before.`
  );
}

/**
 * What is noted of a volume for a claim of this name. When a person has given the volume to another claim, the former
 * note says nothing, whether reserve has removed it yet or not: the policy that the person found there stays. A volume
 * populator fills the volume of a claim of its own, and then makes it that of the claim which asked for the content:
 * there the policy that was noted is the one that the volume came with.
 */
function noteFor(claim: Claim, volume: Volume): Note | undefined {
  const { namespace, name } = claim.metadata;
  const note = readNote(volume);
  if (!note || (note.claim.namespace === namespace && note.claim.name === name)) return note;
  return isPopulated(claim) && isHandedOver(volume, note) ? note : undefined;
}

/** Whether the claim asks for content that only a volume populator can make: drivers make that of snapshots. */
function isPopulated({ spec: { dataSourceRef } }: Claim): boolean {
  return Boolean(dataSourceRef?.apiGroup) && dataSourceRef?.apiGroup !== "snapshot.storage.k8s.io";
}

/**
 * When a bound volume was bound to its claim. It may have been long before the first look: what a person has had
 * offered since counts before it. Kubernetes writes its times in whole seconds, so that `now` says more of the same
 * second. It alone counts where the volume does not say since when it is bound.
 */
function boundAt({ status }: Volume, { metadata }: Claim, now: number): number {
  const since = Date.parse(status?.lastPhaseTransitionTime ?? "");
  if (Number.isNaN(since)) return now;
  // Where one claim followed the other before Kubernetes looked, the phase has not changed.
  const created = Date.parse(metadata.creationTimestamp ?? "");
  const second = created > since ? created : since;
  return Math.min(Math.max(now, second), second + 999);
}

/** What a quota counts of the claim, where its volume is larger: a provisioner may round up. */
function askedBy({ spec: { resources } }: Claim, { spec: { capacity } }: Volume): string | undefined {
  const asked = resources?.requests?.storage;
  return quantityValue(asked) < quantityValue(capacity?.storage) ? asked : undefined;
}

const hasStep = (step: Note["step"]) => (live: KubernetesObject | undefined) =>
  live !== undefined && readNote(live as Volume)?.step === step;

/** It is the one that was read, is not being deleted, and says the same of how long to keep the volume. */
function whileItStays(kind: Kind, { metadata }: KubernetesObject): Precondition {
  const { namespace, name, uid, annotations } = metadata;
  const holds = (live: KubernetesObject | undefined) =>
    live?.metadata.uid === uid &&
    !isBeingDeleted(live) &&
    live.metadata.annotations?.[keepKey] === annotations?.[keepKey];
  return { kind, namespace, name, holds };
}

/** How long a volume is kept, as the note says it: the longest time where the text asks for more, or cannot be read. */
function timeOf(text: string, longest: string) {
  const [asked, most] = [readDuration(text), readDuration(longest)];
  const isCut = most !== undefined && !(asked !== undefined && asked <= most);
  return { text: isCut ? longest : text.slice(0, 32), isRead: asked !== undefined, isCut };
}

/**
 * Whether a class that is gone may have asked to keep the volume. A static volume may name a class that never existed;
 * a provisioned one had its class.
 */
function isClassLost({ volume, claim, storageClass }: Facts, { by = "class" }: Note): boolean {
  if (!volume.spec.storageClassName || storageClass || isEphemeral(claim)) return false;
  return by === "class" || volume.metadata.annotations?.[provisionedBy] !== undefined;
}
