import type { StatefulSet } from "../../functions/pvc-retention/lib/stateful-set.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { claimsOf, type Pod, uses } from "../../shared/storage/pod-claims.ts";
import { holdfastProtection, inTreeProtection } from "../../shared/storage/protection.ts";

/** A set as the API server keeps it. */
export interface SetObject extends StatefulSet {
  readonly spec: StatefulSet["spec"] & { readonly replicas?: number };
}

/** Finds the pods that use a claim, by the very reading that protects it. */
export function usersOf(pods: readonly KubernetesObject[]): (claim: KubernetesObject) => readonly Pod[] {
  const byClaim = Map.groupBy(
    pods.flatMap((pod) => claimsOf(pod).map((use) => ({ pod: pod as Pod, use }))),
    ({ pod, use }) => `${pod.metadata.namespace}/${use.claim}`,
  );
  return (claim) =>
    (byClaim.get(`${claim.metadata.namespace}/${claim.metadata.name}`) ?? [])
      .filter(({ pod, use }) => uses(pod, use, claim, "strict"))
      .map(({ pod }) => pod);
}

/** Whether a finalizer keeps the claim while it is in use. */
export const isProtected = ({ metadata }: KubernetesObject): boolean =>
  metadata.finalizers?.some((one) => one === holdfastProtection || one === inTreeProtection) ?? false;
