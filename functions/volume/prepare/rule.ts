import type * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Node, PersistentVolume, StorageClass } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent, warning } from "../../../shared/steps.ts";
import { due } from "../../../shared/sweep.ts";
import { type Beginning, begin, lookToBegin, notNow } from "../lib/begin.ts";
import { stepOf } from "../lib/chain.ts";
import { Volume } from "../lib/kinds.ts";
import { freedNodesIn } from "../lib/node-queue.ts";
import type { PersistentVolumeObject } from "../lib/persistent-volume.ts";
import { salt } from "../lib/salt/system.ts";
import { common } from "../lib/settings.ts";
import { hasProgress, ownersIn, volumesIn } from "../lib/subjects.ts";
import { phaseOf, statusWrites, type VolumeObject } from "../lib/volume.ts";
import { classMissing, waiting } from "../lib/waiting.ts";

const name = "volume/prepare";
type Settings = z.output<typeof common>;

/** A Volume, and where it is this rule's step, what its job is made from; `undefined` when the Volume is gone. */
export type Facts = Beginning | undefined;

export const prepare = rule({
  name,
  doc: "Begins the Salt job that makes a Volume's storage on its node: once, and not while the node runs another.",
  settings: common,
  common,
  wakes: [on(Volume, ["add", "update"]), on(PersistentVolume, ["delete"])],
  may: [
    { resource: Volume, verbs: ["get", "list", "patch"] },
    { resource: Volume, subresource: "status", verbs: ["patch"] },
    { resource: PersistentVolume, verbs: ["get"] },
    { resource: StorageClass, verbs: ["get"] },
    { resource: Node, verbs: ["get"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [due(Volume)],
  steps: {
    posted: silent,
    queued: silent,
    "name-taken": warning("PersistentVolumeTaken"),
    "class-missing": warning("StorageClassMissing"),
    "node-missing": warning("NodeMissing"),
  },
  systems: { salt },
  subjects: (hint) => [
    ...volumesIn(hint, (volume) => isNew(volume) || hasProgress(volume, name)),
    ...ownersIn(hint),
    ...freedNodesIn(hint),
  ],
  look: async (subject, { client }): Promise<Facts> => lookToBegin(client, subject, { rule: name, step: "prepare" }),
  decide,
});

/**
 * Whether a Volume seems to wait for its storage. One that is available would, too, if its PersistentVolume were gone:
 * that event tells.
 */
function isNew(volume: VolumeObject): boolean {
  return phaseOf(volume) !== "Available" && stepOf({ volume, persistentVolume: undefined }) === "prepare";
}

function decide(facts: Facts, now: number, settings: Settings): readonly Decision[] {
  if (!facts) return [];
  const { volume, persistentVolume, job } = facts;
  const { metadata, spec } = volume;
  const title = `Volume ${metadata.name}`;
  if (stepOf(facts) !== "prepare" || !job) return [notNow(name, volume, `${title} is not to be prepared now.`)];
  if (persistentVolume) return [nameTaken(volume, persistentVolume, now)];
  if (!job.storageClass) return [classMissing(name, volume, now)];
  if (!job.node) {
    const because = `Node ${spec.nodeName} does not exist: add it to the cluster, and ${title} goes on by itself.`;
    return [waiting(name, volume, "node-missing", "Pending", because, now)];
  }
  const because = `Salt prepares the storage of ${title} on node ${spec.nodeName}`;
  return [begin(name, { step: "PrepareVolume", because }, job, now, settings)];
}

/** Another's PersistentVolume has the name: before anything is made on the node that could not be published. */
function nameTaken(volume: VolumeObject, persistentVolume: PersistentVolumeObject, now: number): Decision {
  const taken = `There is a PersistentVolume ${volume.metadata.name} already, and it is not this Volume's`;
  if (isBeingDeleted(persistentVolume)) {
    const because = `${taken}, but it is being deleted: this Volume goes on by itself when it is gone.`;
    return waiting(name, volume, "name-taken", "Pending", because, now);
  }
  const message = `${taken}. Delete this Volume, and create one under another name.`;
  const writes = statusWrites(volume, { phase: "Failed", reason: "CreationError", message }, now);
  return about(Volume, volume).write(message, writes, { event: warning("PersistentVolumeTaken") });
}
