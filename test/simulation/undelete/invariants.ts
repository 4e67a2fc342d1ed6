import { isDeepStrictEqual } from "node:util";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import { longestSkew } from "../../harness/faults/rates.ts";
import type { Change } from "../../harness/simulated/change.ts";
import { type Invariant, isBy, isOurs, type Truth } from "../invariants/invariant.ts";
import {
  claimOf,
  guard,
  namespaceOf,
  noteOf,
  offerKey,
  ownerOf,
  reclaimAtKey,
  scopeOf,
  successorKey,
  type VolumeLike,
  volumesOf,
} from "./volumes.ts";

const isVolume = ({ object }: Change) => object.kind === "PersistentVolume";
const policyOf = (volume: KubernetesObject | undefined) =>
  (volume as VolumeLike | undefined)?.spec.persistentVolumeReclaimPolicy;
const uidOf = (volume: KubernetesObject | undefined) => (volume as VolumeLike | undefined)?.spec.claimRef?.uid;

/** Whether the namespace keeps as much after its claims as it may, by what Kubernetes says of its volumes. */
function isFull(truth: Truth, { metadata: { namespace } }: KubernetesObject): boolean {
  const { MOST_KEPT: most } = truth.scenario.setting.environment["undelete-retain"] ?? {};
  const kept = volumesOf(truth).filter(
    (volume) => volume.spec.claimRef?.namespace === namespace && volume.status?.phase !== "Bound" && noteOf(volume),
  );
  const bytes = kept.map(({ spec }) => quantityValue((spec.capacity as { storage?: string })?.storage));
  return bytes.reduce((sum, each) => sum + each, 0) >= quantityValue(most ?? "none");
}

/**
 * A volume that is kept gets another policy only when its time has come and no claim has it, or when no user wants it
 * kept.
 */
const reclaimsOnlyWhenDue: Invariant = {
  name: "reclaims-only-when-due",
  check(change, truth) {
    const { before, after, at } = change;
    if (!isBy(change, "undelete") || !isVolume(change) || policyOf(before) !== "Retain" || policyOf(after) === "Retain")
      return undefined;
    const volume = before as VolumeLike;
    const owner = ownerOf(truth, volume);
    const name = `Volume ${volume.metadata.name}`;
    if (owner) {
      const keep = scopeOf(truth, owner);
      // What a user has changed since the function looked, it will see next.
      const isFresh = truth.changes.some(
        (other) =>
          other.at > at - 60_000 &&
          [owner.metadata.uid, owner.metadata.namespace].some(
            (key) => key === other.object.metadata.uid || key === other.object.metadata.name,
          ),
      );
      if (isFull(truth, owner)) return undefined;
      if (volume.status?.phase !== "Bound") return `${name} was given back its policy before Kubernetes had bound it.`;
      return keep !== undefined && !isFresh
        ? `${name} was given back its policy, and is to be kept ${keep}.`
        : undefined;
    }
    const due = Date.parse(volume.metadata.annotations?.[reclaimAtKey] ?? "");
    if (!(due <= at + longestSkew)) return `${name} was handed back before its time.`;
    return uidOf(after) ? undefined : `${name} got its policy without its claim: the next claim's data would go.`;
  },
};

/**
 * The uid of a claim is taken off a volume only when that claim is gone, and put on it only while no other claim has
 * the volume.
 */
const sparesBoundVolumes: Invariant = {
  name: "spares-bound-volumes",
  check(change, truth) {
    const { before, after } = change;
    if (!isBy(change, "undelete") || !isVolume(change) || uidOf(before) === uidOf(after)) return undefined;
    const claim = claimOf(truth, before as VolumeLike);
    const has = (claim?.spec as { volumeName?: string } | undefined)?.volumeName === change.object.metadata.name;
    return claim && has && (uidOf(before) === undefined || claim.metadata.uid === uidOf(before))
      ? `Volume ${change.object.metadata.name} was taken from claim ${claim.metadata.name}.`
      : undefined;
  },
};

interface Homes {
  /** By a volume's uid: the namespace of the claim that it was bound to last. */
  readonly homes: Map<string, string>;
  /** Volumes that a person has said may go to another namespace: the one that there is, or the next. */
  readonly said: Set<string>;
  /** Namespaces of which a person has said that they follow another: `<new> <old>`. */
  readonly successors: Set<string>;
}
const known = new WeakMap<Truth["history"], Homes>();

/** What users have said, and where volumes were, in this run. */
export function homesOf({ history }: Truth): Homes {
  const homes = known.get(history) ?? { homes: new Map(), said: new Set(), successors: new Set() };
  known.set(history, homes);
  return homes;
}

/** No volume is bound to a namespace of another uid without a word from a person. */
const staysAtHome: Invariant = {
  name: "stays-at-home",
  check(change, truth) {
    const { homes, said, successors } = homesOf(truth);
    const { after, before, object } = change;
    const { uid, annotations } = object.metadata;
    if (object.kind === "Namespace" && annotations?.[successorKey])
      successors.add(`${uid} ${annotations[successorKey]}`);
    // What was said and taken in counts for no later namespace. No function has taken in what a lost event was about.
    if (object.kind === "Namespace" && after?.metadata.deletionTimestamp && truth.calm)
      for (const { metadata, spec } of volumesOf(truth))
        if (spec.claimRef?.namespace === object.metadata.name && metadata.annotations?.[offerKey] !== "yes")
          said.delete(metadata.uid);
    if (!isVolume(change)) return undefined;
    if (!isOurs(change) && annotations?.[offerKey] === "yes") said.add(uid);
    // Whose a volume is that is offered, its note alone says: a writer that replaces it lets any claim have it.
    const isUnnoted = before && after && noteOf(before) && !noteOf(after);
    if (!isOurs(change) && isUnnoted && uidOf(after) === undefined) said.add(uid);
    if (!after || uidOf(after) === undefined || uidOf(after) === uidOf(before) || isOurs(change)) return undefined;
    const ref = (after as VolumeLike).spec.claimRef;
    const home = namespaceOf(truth, ref?.namespace ?? "")?.metadata.uid;
    const former = homes.get(uid);
    if (home) homes.set(uid, home);
    if (!home || former === undefined || former === home || said.has(uid) || successors.has(`${home} ${former}`))
      return undefined;
    return `Volume ${object.metadata.name} went to another namespace ${ref?.namespace}, and no person had said so.`;
  },
};

/** Nothing but what is ours is ever changed by us. */
const sparesWhatIsNotOurs: Invariant = {
  name: "spares-what-is-not-ours",
  check(change) {
    const { before, after, object } = change;
    if (!isBy(change, "undelete") || !before || object.kind === "Event") return undefined;
    // A namespace that was being deleted goes with the last finalizer, which may be ours.
    if (!after && before.metadata.deletionTimestamp && before.metadata.finalizers?.join() === guard) return undefined;
    if (!after) return `${object.kind} ${object.metadata.name} was deleted by us.`;
    return isDeepStrictEqual(ofOthers(before), ofOthers(after))
      ? undefined
      : `${object.kind} ${object.metadata.name} was changed by us in a part that is not ours.`;
  },
};

function ofOthers({ metadata, spec, status, ...rest }: KubernetesObject): object {
  const {
    finalizers = [],
    resourceVersion,
    generation,
    annotations = {},
    labels = {},
    managedFields,
    ...others
  } = metadata;
  const foreign = (record: Record<string, string>) =>
    Object.entries(record).filter(
      ([key]) => !key.startsWith("holdfast.dev/") && key !== "pv.kubernetes.io/bound-by-controller",
    );
  const { persistentVolumeReclaimPolicy, claimRef, ...fields } = {
    claimRef: undefined,
    ...(spec as VolumeLike["spec"]),
  };
  const { uid, resourceVersion: _, ...ref } = { uid: "", resourceVersion: "", ...(claimRef as object | undefined) };
  const kept = finalizers.filter((finalizer) => finalizer !== guard);
  return { ...rest, others, fields, ref, kept, annotations: foreign(annotations), labels: foreign(labels) };
}

/** What must hold after every write where undelete is installed. */
export const invariants: readonly Invariant[] = [
  reclaimsOnlyWhenDue,
  sparesBoundVolumes,
  staysAtHome,
  sparesWhatIsNotOurs,
];
