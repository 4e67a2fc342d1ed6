import type { KubernetesObject, OwnerReference } from "../../shared/kubernetes/object.ts";
import type { Change } from "../harness/simulated/change.ts";

/** A change in one line: which object, its new version, and what of it is different. */
export function describeChange({ before, after, object, version }: Change): string {
  const { kind, metadata } = object;
  const what = !before ? "is created" : !after ? "is gone" : differences(before, after);
  return `${kind} ${metadata.name} ${what} (version ${version})`;
}

function differences(before: KubernetesObject, after: KubernetesObject): string {
  const was = flat(before);
  const is = flat(after);
  const changed = Object.keys({ ...was, ...is })
    .filter((key) => was[key] !== is[key])
    .map((key) => (is[key] === undefined ? `loses ${key}` : `${key} is ${is[key]}`));
  return changed.length > 0 ? `changes: ${changed.join("; ")}` : "changes";
}

interface SpecLike {
  nodeName?: string;
  volumeName?: string;
  replicas?: number;
  ordinals?: { start?: number };
  persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
}

const describeOwner = ({ kind, name, uid, controller, blockOwnerDeletion }: OwnerReference) =>
  `${kind} ${name} ` +
  `(${[uid.slice(0, 4), ...(controller ? ["controls"] : []), ...(blockOwnerDeletion ? ["blocks"] : [])].join(", ")})`;

function flat({ kind, metadata, spec, status }: KubernetesObject): Record<string, string | undefined> {
  const {
    annotations = {},
    finalizers,
    deletionTimestamp,
    deletionGracePeriodSeconds: grace,
    labels,
    ownerReferences,
  } = metadata;
  const {
    nodeName,
    volumeName,
    replicas,
    ordinals,
    persistentVolumeClaimRetentionPolicy: retention,
  } = (spec ?? {}) as SpecLike;
  const said = Object.entries(annotations).map(([key, value]) => [`annotation ${key}`, value] as const);
  return {
    ...Object.fromEntries(said),
    owners: ownerReferences?.map((owner) => describeOwner(owner)).join(", "),
    replicas: kind === "StatefulSet" ? `${replicas} from ${ordinals?.start ?? 0} on` : undefined,
    "the retention policy": retention && `${retention.whenDeleted}/${retention.whenScaled}`,
    "the list of finalizers": finalizers && `[${finalizers.join(", ")}]`,
    "the time of deletion": deletionTimestamp && `${deletionTimestamp}, grace ${grace}`,
    labels: labels && JSON.stringify(labels),
    "the node": nodeName,
    "the volume": volumeName,
    "the phase": (status as { phase?: string } | undefined)?.phase,
  };
}
