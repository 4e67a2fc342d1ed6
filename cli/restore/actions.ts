import { describeKept, type KeptVolume } from "../../functions/undelete/lib/kept-volume.ts";
import { offerKey, reclaimAtKey } from "../../functions/undelete/lib/note.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { readDuration } from "../../shared/duration.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../shared/kubernetes/finalizer.ts";
import { Namespace, PersistentVolume, PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Claim } from "../../shared/storage/volume.ts";
import type { Change } from "./change.ts";
import { findKept, getKept } from "./volumes.ts";

/** Changes, and what people must know of them, in whole sentences. */
export interface Plan {
  readonly changes: readonly Change[];
  /** What it does. */
  readonly does: string;
  /** What a person does after it. */
  readonly next?: string;
  /** Data may be deleted by it: a person is asked first. */
  readonly deletes?: true;
}

const ofVolume = ({ volume }: KeptVolume, annotations: Change["annotations"]): Change => ({
  kind: PersistentVolume,
  object: volume,
  annotations,
});

/** Offers the volume of a former claim to the next claim of its name. @throws UserError where there is none */
export async function offer(client: Client, namespace: string, name: string, volume?: string): Promise<Plan> {
  const all = (await findKept(client, namespace)).filter(({ note }) => note.claim.name === name);
  const found = volume === undefined ? all : all.filter((one) => one.volume.metadata.name === volume);
  const chosen = found.toSorted((a, b) => b.note.right - a.note.right)[0];
  if (!chosen) {
    const which = volume === undefined ? "No volume" : `No volume ${volume}`;
    throw new UserError(`${which} is kept of claim ${namespace}/${name}. Those that are kept: holdfast restore list`);
  }
  const title = chosen.volume.metadata.name;
  const others = all.filter((one) => one !== chosen).map((one) => one.volume.metadata.name);
  const claim = await client.get<Claim>(PersistentVolumeClaim, namespace, name);
  const latest =
    others.length > 0 && volume === undefined ? ` It is the latest; kept as well: ${others.join(", ")}.` : "";
  const { capacity, accessModes, storageClassName } = chosen.volume.spec as Record<string, unknown>;
  const { storage } = (capacity ?? {}) as { storage?: string };
  const shape =
    `Create claim ${namespace}/${name} again with at most ${storage ?? "the size of the volume"}, ` +
    `accessModes ${JSON.stringify(accessModes ?? [])} and storageClassName ${JSON.stringify(storageClassName ?? "")}.`;
  return {
    changes: [ofVolume(chosen, { [offerKey]: "yes" })],
    does: `Volume ${title} is offered to the next claim ${namespace}/${name}.${latest}`,
    next: claim?.spec.volumeName
      ? `The claim that there is has volume ${claim.spec.volumeName}. To swap: delete the claim and its pod, ` +
        `\`kubectl delete pvc ${name} -n ${namespace}\`. Then: ${shape} A StatefulSet does that itself.`
      : claim
        ? "The claim that exists gets it, if it asks for nothing else."
        : shape,
  };
}

/**
 * Offers the volumes of the former namespace of a name to the one that there is.
 *
 * @throws UserError where no volume waits for that, or no namespace is there.
 */
export async function succeed(client: Client, name: string, former?: string): Promise<Plan> {
  const all = await findKept(client, name);
  // Of several volumes of one claim, the latest has its data, also when it is offered already.
  const isLatest = ({ note }: KeptVolume) =>
    all.every(
      (other) =>
        other.note.claim.name !== note.claim.name ||
        other.note.right <= note.right ||
        (other.note.step === "asks" && other.note.namespaceUid !== note.namespaceUid),
    );
  const waiting = all.filter((one) => one.note.step === "asks" && one.note.namespaceUid && isLatest(one));
  const uids = [...new Set(waiting.map(({ note }) => note.namespaceUid as string))];
  const object = await client.get<KubernetesObject>(Namespace, undefined, name);
  if (!object || isBeingDeleted(object))
    throw new UserError(
      `There is no namespace ${name}${object ? " that stays" : ""}. Create it, run this again, and only then create ` +
        "its claims.",
    );
  if (waiting.length === 0)
    throw new UserError(`No volume waits for someone to say who follows namespace ${name}: holdfast restore list`);
  if (!former && uids.length > 1)
    throw new UserError(
      `Volumes of several former namespaces ${name} are kept; give one with --former: ` +
        uids.map((uid) => `${uid} (${volumesOf(waiting, uid)})`).join(", "),
    );
  const uid = former ?? (uids[0] as string);
  if (!uids.includes(uid)) throw new UserError(`No volume is kept of a namespace ${name} with the uid ${uid}.`);
  const chosen = waiting
    .filter(({ note }) => note.namespaceUid === uid)
    .filter((one, index, all) => all.findIndex(({ note }) => note.claim.name === one.note.claim.name) === index);
  return {
    changes: chosen.map((one) => ofVolume(one, { [offerKey]: "yes" })),
    does:
      `These volumes are offered to claims of their names in namespace ${name}: ${volumesOf(chosen, uid)}. ` +
      "Make sure that the namespace belongs to the people of the former one.",
    next: "Create the claims after that: `holdfast restore list` says when the volumes are offered.",
  };
}

const volumesOf = (waiting: readonly KeptVolume[], uid: string) =>
  waiting
    .filter(({ note }) => note.namespaceUid === uid)
    .map(({ volume }) => volume.metadata.name)
    .join(", ");

/**
 * Keeps a volume for a time from now, or for good; a shorter time than before asks first.
 *
 * @throws UserError where the time cannot be read
 */
export async function keepFor(client: Client, named: string, time: string | undefined, now: number): Promise<Plan> {
  const duration = time === "ever" ? Number.POSITIVE_INFINITY : readDuration(time ?? "");
  if (duration === undefined) throw new UserError("Say how long: --for 30m, --for 24h, --for 7d, or --for ever.");
  const kept = await getKept(client, named);
  const at = Number.isFinite(duration) ? inSeconds(now + duration) : null;
  const changed = { ...kept, due: at === null ? Number.POSITIVE_INFINITY : Date.parse(at) };
  const deletes = changed.due < kept.due && kept.note.policy !== "Retain";
  return {
    changes: [ofVolume(kept, { [reclaimAtKey]: at })],
    does: describeKept(changed, now),
    ...(deletes ? { deletes } : {}),
  };
}

/** Has Kubernetes reclaim a volume with the next sweep. */
export async function release(client: Client, named: string, now: number): Promise<Plan> {
  const kept = await getKept(client, named);
  const { policy, claim } = kept.note;
  const title = `Volume ${kept.volume.metadata.name} of claim ${claim.namespace}/${claim.name}`;
  const end =
    policy === "Retain"
      ? "It stays Released, as without Holdfast."
      : `Kubernetes then reclaims it (${policy}), and its data is gone.`;
  return {
    changes: [ofVolume(kept, { [reclaimAtKey]: inSeconds(now) })],
    does: `${title} is left to Kubernetes with the next sweep, every five minutes as shipped. ${end}`,
    ...(policy === "Retain" ? {} : { deletes: true }),
  };
}

const inSeconds = (time: number) => new Date(Math.floor(time / 1000) * 1000).toISOString().replace(".000Z", "Z");
