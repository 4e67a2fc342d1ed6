import type * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Node, PersistentVolume, StorageClass } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent, warning } from "../../../shared/steps.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { type Beginning, begin, lookToBegin, notNow } from "../lib/begin.ts";
import { type ChainFacts, stepOf } from "../lib/chain.ts";
import { readJobHandle } from "../lib/job-handle.ts";
import { Volume } from "../lib/kinds.ts";
import { freedNodesIn } from "../lib/node-queue.ts";
import { isOf } from "../lib/persistent-volume.ts";
import { salt } from "../lib/salt/system.ts";
import { common } from "../lib/settings.ts";
import { ownersIn, volumesIn } from "../lib/subjects.ts";
import { abandonStorage, isAbandoned, nodeGone } from "../lib/vanished-node.ts";
import { volumeFinalizer } from "../lib/volume.ts";

const name = "volume/reclaim";
type Settings = z.output<typeof common>;

/** A Volume, and where it is this rule's step, what its job is made from; `undefined` when the Volume is gone. */
export type Facts = Beginning | undefined;

export const reclaim = rule({
  name,
  doc: "Has a node take the storage of a deleted Volume back, and lets PersistentVolume and Volume go after that.",
  settings: common,
  common,
  wakes: [on(Volume, ["update"]), on(PersistentVolume, ["update", "delete"])],
  may: [
    { resource: Volume, verbs: ["get", "list", "patch"] },
    { resource: Volume, subresource: "status", verbs: ["patch"] },
    { resource: PersistentVolume, verbs: ["get", "patch"] },
    { resource: StorageClass, verbs: ["get"] },
    { resource: Node, verbs: ["get"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [whileDeleting(Volume, volumeFinalizer)],
  finalizers: [Volume, PersistentVolume].map((kind) => ({ kind, finalizer: volumeFinalizer })),
  steps: { posted: silent, queued: silent, "node-missing": warning("NodeMissing") },
  systems: { salt },
  subjects: (hint) => [...volumesIn(hint, isBeingDeleted), ...ownersIn(hint, isBeingDeleted), ...freedNodesIn(hint)],
  look: async (subject, { client }): Promise<Facts> => lookToBegin(client, subject, { rule: name, step: "reclaim" }),
  decide,
});

function decide(facts: Facts, now: number, settings: Settings): readonly Decision[] {
  if (!facts) return [];
  const { volume, job } = facts;
  const { write } = about(Volume, volume);
  const { nodeName } = volume.spec;
  const title = `Volume ${volume.metadata.name}`;
  if (!isBeingDeleted(volume) || stepOf(facts) !== "reclaim" || !job)
    return [notNow(name, volume, `The storage of ${title} is not to be taken back now.`)];
  if (readJobHandle(volume.status?.job)?.step === "UnprepareVolume")
    return [write(`Node ${nodeName} has taken the storage of ${title} back: it goes.`, finalizersOff(facts))];
  if (!job.node) {
    if (!isAbandoned(volume)) return [nodeGone(name, volume, now)];
    const because =
      `Node ${nodeName} is gone, and ${abandonStorage} gives up the storage of ${title} there: it goes, and what ` +
      "is left on the node's disks is left.";
    return [write(because, finalizersOff(facts), { event: warning("StorageAbandoned") })];
  }
  const because = `Salt takes the storage of ${title} back on node ${nodeName}`;
  return [begin(name, { step: "UnprepareVolume", because }, job, now, settings)];
}

/** The PersistentVolume's first: while it is there, the Volume is what explains it. */
function finalizersOff({ volume, persistentVolume }: ChainFacts) {
  const isHeld = persistentVolume && isOf(persistentVolume, volume) && hasFinalizer(persistentVolume, volumeFinalizer);
  return [
    ...(isHeld ? [removeFinalizer(PersistentVolume, persistentVolume, volumeFinalizer)] : []),
    removeFinalizer(Volume, volume, volumeFinalizer),
  ];
}
