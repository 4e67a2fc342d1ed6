import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Change } from "../../harness/simulated/change.ts";
import type { Field } from "../sequence/policy.ts";

/** A StatefulSet as far as this test looks at it. */
export interface SetObject extends KubernetesObject {
  readonly spec: {
    readonly replicas: number;
    readonly ordinals?: { readonly start?: number };
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly persistentVolumeClaimRetentionPolicy?: Field;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly currentRevision?: string;
    readonly updateRevision?: string;
  };
}

/** A Pod as far as this test looks at it. */
export interface PodObject extends KubernetesObject {
  readonly spec: {
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
}

/** What there is in a namespace. */
export interface Live {
  readonly sets: readonly SetObject[];
  readonly pods: readonly PodObject[];
  readonly claims: readonly KubernetesObject[];
}

/** One of the two namespaces of a run. */
export interface Side {
  readonly namespace: string;
  /** What the API server has at this moment. */
  live(): Promise<Live>;
  /** Every change of a set, a pod or a claim so far, oldest first. */
  readonly changes: readonly Change[];
}

/** The uid of an object's controller. */
export const controllerOf = ({ metadata }: KubernetesObject): string | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller)?.uid;

/** Whether a pod mounts the claim of this name. */
export const mounts = ({ spec }: PodObject, claim: string): boolean =>
  spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim) ?? false;

/** Sorts objects by their kinds. */
export function sortByKind(objects: readonly KubernetesObject[]): Live {
  const ofKind = <T extends KubernetesObject>(kind: string) =>
    objects.filter((object): object is T => object.kind === kind);
  return { sets: ofKind("StatefulSet"), pods: ofKind("Pod"), claims: ofKind("PersistentVolumeClaim") };
}
