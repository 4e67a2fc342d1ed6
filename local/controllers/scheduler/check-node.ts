import { hasLabels } from "../../../shared/kubernetes/label-selector.ts";
import { matchesNodeSelector } from "../../../shared/kubernetes/node-selector.ts";
import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import { findToleration } from "../../../shared/kubernetes/toleration.ts";
import { isReady, type NodeObject } from "../objects/node.ts";
import type { PodObject } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";
import { selectedNode } from "../volume-binder/annotations.ts";
import { findVolume } from "../volume-binder/match-volume.ts";
import type { SchedulerCaches } from "./caches.ts";
import type { PodClaims } from "./check-claims.ts";

/** The node takes no more pods. */
export const full = "Too many pods";

/** Says why a pod cannot be on a node, in the scheduler's words; `undefined` when it can. */
export function checkNode(
  pod: PodObject,
  claims: PodClaims,
  node: NodeObject,
  podsOnNode: number,
  caches: SchedulerCaches,
): string | undefined {
  const { tolerations, nodeSelector, affinity } = pod.spec;
  const cordoned = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" } as const;
  if (node.spec?.unschedulable && !findToleration(tolerations, cordoned)) return "node(s) were unschedulable";
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect !== "PreferNoSchedule");
  // Here no controller taints a node that is not ready.
  if (!isReady(node)) taints.push({ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" });
  if (taints.some((taint) => !findToleration(tolerations, taint))) return "node(s) had untolerated taint(s)";
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!hasLabels(nodeSelector, node.metadata.labels ?? {}) || !matchesNodeSelector(required, node.metadata))
    return "node(s) didn't match Pod's node affinity/selector";
  if (podsOnNode >= quantityValue(node.status?.allocatable?.pods ?? "110")) return full;
  return checkVolumes(claims, node, caches);
}

function checkVolumes({ bound, unbound }: PodClaims, node: NodeObject, caches: SchedulerCaches): string | undefined {
  for (const { spec } of bound) {
    const volume = caches.volumes.get(undefined, spec.volumeName ?? "");
    if (!volume) return "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    const required = volume.spec.nodeAffinity?.required;
    if (!matchesNodeSelector(required, node.metadata)) return "node(s) didn't match PersistentVolume's node affinity";
  }
  const served = unbound.every((claim) => canGetVolume(claim, node, caches));
  return served ? undefined : "node(s) didn't find available persistent volumes to bind";
}

function canGetVolume(claim: ClaimObject, node: NodeObject, caches: SchedulerCaches): boolean {
  const chosen = claim.metadata.annotations?.[selectedNode];
  if (chosen) return chosen === node.metadata.name;
  if (findVolume(claim, caches.volumes.list(), { node })) return true;
  const storageClass = caches.classes.get(undefined, claim.spec.storageClassName ?? "");
  return storageClass !== undefined && storageClass.provisioner !== "kubernetes.io/no-provisioner";
}
