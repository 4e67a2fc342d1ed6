import { about } from "../../../shared/about.ts";
import { chainRule } from "../../../shared/chain/chain-rule.ts";
import type { Decision } from "../../../shared/decision.ts";
import { hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { normal, warning } from "../../../shared/steps.ts";
import { isHeld, type SeenVolume, storageChain } from "../lib/chain.ts";
import { readJobHandle } from "../lib/job-handle.ts";
import { Volume } from "../lib/kinds.ts";
import type { ChainFacts } from "../lib/look.ts";
import { isBinding, isLeftBehind, isOf, type PersistentVolumeObject } from "../lib/persistent-volume.ts";
import { ownersIn } from "../lib/subjects.ts";
import { abandonStorage, isAbandoned } from "../lib/vanished-node.ts";
import { volumeFinalizer } from "../lib/volume.ts";

/** The Volume of a run, or a PersistentVolume that a Volume has left behind. */
interface Facts {
  readonly seen: readonly SeenVolume[];
  readonly left?: PersistentVolumeObject;
}

export const deletePv = chainRule(storageChain, "delete-pv", {
  doc:
    "Deletes the PersistentVolume of a deleted Volume, says which claim holds it, and releases both when the " +
    "node has its storage back.",
  permissions: [
    {
      resource: Volume,
      verbs: ["get", "patch"],
      writes: { finalizers: [volumeFinalizer] },
      why: "to see whether the Volume is being deleted, and to remove the finalizer at the end",
    },
    {
      resource: PersistentVolume,
      verbs: ["get", "list", "patch", "delete"],
      why: "to delete it with the Volume, to see whether another one has its storage, and to remove the finalizer",
      writes: { finalizers: [volumeFinalizer] },
      bounds: [
        {
          on: ["patch", "delete"],
          says: "releases and deletes PersistentVolumes that have the finalizer of Volumes",
          cel: `${JSON.stringify(volumeFinalizer)} in oldObject.metadata.?finalizers.orValue([])`,
        },
      ],
    },
    { resource: Node, verbs: ["get"], why: "to see whether the node of the Volume is gone" },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record on the Volume which claim holds it, and to delete that Event",
    },
  ],
  finalizers: [Volume, PersistentVolume].map((kind) => ({
    kind,
    finalizer: volumeFinalizer,
    standsFor: "storage that Salt has prepared on a node",
  })),
  steps: { held: normal("DeletionPostponed") },
  subjects: (hint, own) => [...own, ...ownersIn(hint, isBeingDeleted)],
  look: async ({ name = "" }, { client }, look): Promise<Facts> => {
    const seen = await look();
    const [one] = seen;
    const persistentVolume = one ? one.found.persistentVolume : await client.get(PersistentVolume, undefined, name);
    const isLeft = persistentVolume !== undefined && isLeftBehind(persistentVolume, one?.object);
    return isLeft ? { seen: [], left: persistentVolume } : { seen };
  },
  beside: ({ left }) => (left ? [letGo(left)] : []),
  act: ({ facts, standing }) => [standing.step === "release" ? released(facts) : deleted(facts)],
});

function deleted(facts: ChainFacts): Decision {
  const { volume, persistentVolume, others = [] } = facts;
  const { leave, wait, write } = about(Volume, volume);
  const title = `Volume ${volume.metadata.name}`;
  const held = { step: { name: "held" } };
  const [other] = isHeld(facts) ? [] : others;
  if (other) return wait(`${title} is kept: ${whoElse(other)}`, held);
  if (!persistentVolume) return leave(`${title} has no PersistentVolume to delete now.`);
  if (isBeingDeleted(persistentVolume)) return wait(`${title} is kept: ${whoHolds(persistentVolume)}`, held);
  const { name, uid, resourceVersion } = persistentVolume.metadata;
  const message = `The PersistentVolume of ${title} is deleted with it, and goes when no claim is bound to it.`;
  const options = { uid, resourceVersion };
  return write(message, [{ verb: "delete", kind: PersistentVolume, namespace: undefined, name, options }]);
}

/** The finalizer of the PersistentVolume leaves first: while it is there, the Volume is what explains it. */
function released({ volume, persistentVolume }: ChainFacts): Decision {
  const { write } = about(Volume, volume);
  const { metadata, spec, status } = volume;
  const isHeld = persistentVolume && isOf(persistentVolume, volume) && hasFinalizer(persistentVolume, volumeFinalizer);
  const writes = [
    ...(isHeld ? [removeFinalizer(PersistentVolume, persistentVolume, volumeFinalizer)] : []),
    removeFinalizer(Volume, volume, volumeFinalizer),
  ];
  const [title, node] = [`Volume ${metadata.name}`, `Node ${spec.nodeName}`];
  if (readJobHandle(status?.job)?.step === "UnprepareVolume" && !readJobHandle(status?.job)?.jid)
    return write(`${node} has reclaimed the storage of ${title}: it goes.`, writes);
  if (!isAbandoned(volume))
    return write(`${node} does not exist, and nothing was begun there for ${title}: it goes.`, writes);
  const message =
    `${node} is gone, and ${abandonStorage} gives up the storage of ${title} there: it goes. Data on the ` +
    "node's disks stays there.";
  return write(message, writes, { event: warning("StorageAbandoned") });
}

/** A PersistentVolume whose creation came late, after its Volume was gone: no later Volume can explain it. */
function letGo(persistentVolume: PersistentVolumeObject): Decision {
  const { name } = persistentVolume.metadata;
  const message = `PersistentVolume ${name} goes: its Volume is gone, and no claim is bound to it.`;
  // The Volume may have been read first, and made after that.
  const holds = (live?: KubernetesObject) => isLeftBehind(persistentVolume, live);
  const preconditions = [{ kind: Volume, namespace: undefined, name, holds }];
  const writes = [removeFinalizer(PersistentVolume, persistentVolume, volumeFinalizer)];
  return about(PersistentVolume, persistentVolume).write(message, writes, { preconditions });
}

/** A person has made it, perhaps because the Volume's own one was deleted by mistake. */
function whoElse({ metadata: { name } }: PersistentVolumeObject): string {
  const advice = `When that data is no longer needed, run \`kubectl delete persistentvolume ${name}\`.`;
  return `PersistentVolume ${name} has the same storage, which would be reclaimed with the Volume. ${advice}`;
}

function whoHolds(persistentVolume: PersistentVolumeObject): string {
  const { metadata, spec, status } = persistentVolume;
  const { namespace, name: claim } = spec?.claimRef ?? {};
  if (claim && (status?.phase === "Bound" || isBinding(persistentVolume)))
    return `claim ${namespace}/${claim} is bound to it. Delete the claim when its data is no longer needed.`;
  const others = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== volumeFinalizer);
  if (others.length > 0) return `its PersistentVolume is held by ${others.join(", ")}.`;
  return `its PersistentVolume is ${status?.phase || "in no known phase"}, and may be in use.`;
}
