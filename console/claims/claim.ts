import type { StatefulSet } from "../../functions/pvc-retention/lib/stateful-set.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { claimsOf, type Pod, uses } from "../../shared/storage/pod-claims.ts";
import { holdfastProtection, inTreeProtection } from "../../shared/storage/protection.ts";
import type { Claim } from "../../shared/storage/volume.ts";

/** A claim as the API server keeps it. */
export type ClaimObject = Claim;

/** A set as the API server keeps it. */
export interface SetObject extends StatefulSet {
  readonly spec: StatefulSet["spec"] & { readonly replicas?: number };
}

/** A pod that uses a claim, and where it runs. */
export interface User {
  readonly namespace: string;
  readonly pod: string;
  readonly node: string;
}

/** Finds the pods that use a claim, by the very reading that protects it. */
export function usersOf(pods: readonly KubernetesObject[]): (claim: KubernetesObject) => readonly User[] {
  const byClaim = Map.groupBy(
    pods.flatMap((pod) => claimsOf(pod).map((use) => ({ pod: pod as Pod, use }))),
    ({ pod, use }) => `${pod.metadata.namespace}/${use.claim}`,
  );
  return (claim) =>
    (byClaim.get(`${claim.metadata.namespace}/${claim.metadata.name}`) ?? [])
      .filter(({ pod, use }) => uses(pod, use, claim, "strict"))
      .map(({ pod }) => ({
        namespace: pod.metadata.namespace ?? "",
        pod: pod.metadata.name,
        node: pod.spec.nodeName ?? "",
      }));
}

/** Whether a finalizer keeps the claim while it is in use. */
export const isProtected = ({ metadata }: KubernetesObject): boolean =>
  metadata.finalizers?.some((one) => one === holdfastProtection || one === inTreeProtection) ?? false;
