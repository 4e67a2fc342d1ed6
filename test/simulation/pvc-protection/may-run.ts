import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Change } from "../../harness/simulated/change.ts";
import type { History } from "../../harness/simulated/history.ts";

// Definitions of the simulation's own, apart from those of the rules that it judges.

/** The finalizer of Kubernetes' own protection. */
export const inTree = "kubernetes.io/pvc-protection";

export interface PodLike extends KubernetesObject {
  spec: {
    nodeName?: string;
    containers: readonly { name: string }[];
    volumes?: readonly { name: string; persistentVolumeClaim?: { claimName: string }; ephemeral?: object }[];
  };
  status?: { phase?: string; containerStatuses?: readonly { name: string; state: { running?: object } }[] };
}

/** Whether a pod names this claim: directly, or as the volume that was made for it. */
export function names(pod: PodLike, { metadata }: KubernetesObject): boolean {
  if (pod.metadata.namespace !== metadata.namespace) return false;
  return (pod.spec.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return persistentVolumeClaim.claimName === metadata.name;
    const owned = metadata.ownerReferences?.some(({ uid, controller }) => controller && uid === pod.metadata.uid);
    return ephemeral !== undefined && `${pod.metadata.name}-${name}` === metadata.name && owned === true;
  });
}

/** Whether no container of the pod runs any more and none will. */
export function hasEnded({ metadata, spec, status }: PodLike): boolean {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return true;
  const reported = status?.containerStatuses ?? [];
  return (
    metadata.deletionTimestamp !== undefined &&
    spec.containers.every(({ name }) => reported.some((one) => one.name === name && !one.state.running))
  );
}

/** Which pods a kubelet may have started with which claims. */
export interface MayRun {
  observe(change: Change): void;
  /** Whether a kubelet may have started the live pod with the claim. */
  has(pod: KubernetesObject, claim: KubernetesObject): boolean;
}

/**
 * A kubelet reads a claim before it starts a pod, and refuses one that is being deleted without the in-tree finalizer:
 * a pod may run when, at any moment since it has a node, its claim was startable. Where one finalizer serves for both
 * phases, what is bound after the deletion is Kubernetes' own race, and does not count.
 */
export function trackMayRun(history: History, onePhase: boolean): MayRun {
  const pairs = new Set<string>();
  const startable = ({ metadata }: KubernetesObject) =>
    !metadata.deletionTimestamp || (!onePhase && metadata.finalizers?.includes(inTree) === true);

  function admit(pod: PodLike, claim: KubernetesObject): void {
    if (pod.spec.nodeName && startable(claim) && names(pod, claim)) pairs.add(keyOf(pod, claim));
  }
  return {
    observe({ after }) {
      if (after?.kind === "PersistentVolumeClaim") for (const pod of history.live("Pod")) admit(pod as PodLike, after);
      if (after?.kind === "Pod")
        for (const claim of history.live("PersistentVolumeClaim")) admit(after as PodLike, claim);
    },
    has: (pod, claim) => pairs.has(keyOf(pod, claim)),
  };
}

const keyOf = (pod: KubernetesObject, claim: KubernetesObject) => `${pod.metadata.uid} ${claim.metadata.uid}`;
