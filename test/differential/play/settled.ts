import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { keeps } from "../sequence/policy.ts";
import { controllerOf, type Live, mounts, type PodObject, type SetObject } from "./side.ts";

/**
 * What Kubernetes' own controllers have still to do in a namespace, `undefined` when nothing: replicas, owner
 * references of claims that pods mount, garbage. Functions of ours play no part in it: a test that waits for this does
 * not wait for them.
 */
export function unsettled({ sets, pods, claims }: Live): string | undefined {
  for (const set of sets) {
    const { name, generation, deletionTimestamp } = set.metadata;
    const { replicas, ordinals } = set.spec;
    const { status = {} } = set;
    if (deletionTimestamp) return `set ${name} is being deleted`;
    if (status.observedGeneration !== generation) return `set ${name} was not looked at`;
    if ((status.replicas ?? 0) !== replicas || (status.readyReplicas ?? 0) !== replicas)
      return `set ${name} has not its ${replicas} replicas`;
    if (status.updateRevision !== status.currentRevision) return `set ${name} is being rolled`;
    for (let ordinal = ordinals?.start ?? 0; ordinal < (ordinals?.start ?? 0) + replicas; ordinal++) {
      const pod = pods.find(({ metadata }) => metadata.name === `${name}-${ordinal}`);
      if (!pod || controllerOf(pod) !== set.metadata.uid) return `set ${name} has no pod ${ordinal}`;
      const wrong = claims.find((claim) => mounts(pod, claim.metadata.name) && !isTiedRightly(claim, set, pod, pods));
      if (wrong) return `claim ${wrong.metadata.name} has not the owner that the field of ${name} gives it`;
    }
  }
  const leaving = pods.find(({ metadata }) => metadata.deletionTimestamp);
  if (leaving) return `pod ${leaving.metadata.name} is being deleted`;
  return garbage({ sets, pods, claims }, [...pods, ...claims]);
}

/** One of these pods and claims that the garbage collector is going to delete, or that is going and not held. */
export function garbage({ sets, pods }: Live, among: readonly KubernetesObject[]): string | undefined {
  const uids = new Set([...sets, ...pods].map(({ metadata }) => metadata.uid));
  for (const { kind, metadata } of among) {
    const owners = (metadata.ownerReferences ?? []).filter((owner) => ["StatefulSet", "Pod"].includes(owner.kind));
    const isHeld = kind === "PersistentVolumeClaim" && pods.some((pod) => mounts(pod, metadata.name));
    if (metadata.deletionTimestamp ? !isHeld : owners.length > 0 && owners.every(({ uid }) => !uids.has(uid)))
      return `${kind} ${metadata.name} is garbage`;
  }
  return undefined;
}

/**
 * Whether a claim whose pod runs has the owner that Kubernetes gives it; of one that several pods mount it is a race.
 */
function isTiedRightly(
  { metadata }: KubernetesObject,
  set: SetObject,
  pod: PodObject,
  pods: readonly PodObject[],
): boolean {
  if (metadata.deletionTimestamp || pods.filter((other) => mounts(other, metadata.name)).length > 1) return true;
  const owners = metadata.ownerReferences ?? [];
  if (owners.some(({ controller, uid }) => controller && uid !== set.metadata.uid && uid !== pod.metadata.uid))
    return true;
  const { whenDeleted } = set.spec.persistentVolumeClaimRetentionPolicy ?? keeps;
  return owners.some(({ uid }) => uid === set.metadata.uid) === (whenDeleted === "Delete");
}
