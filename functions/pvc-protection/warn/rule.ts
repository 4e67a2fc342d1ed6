import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { on, rule } from "../../../shared/rule.ts";
import { warning } from "../../../shared/steps.ts";
import { claimsOf, isBound } from "../../../shared/storage/pod-claims.ts";
import { inTreeProtection } from "../../../shared/storage/protection.ts";
import type { Subject } from "../../../shared/subject.ts";

/** Pods of one namespace that have not started, and those of the claims they name that are being deleted. */
export interface Facts {
  readonly pods: readonly KubernetesObject[];
  /** Metadata alone. */
  readonly deleting: readonly KubernetesObject[];
}

export const warn = rule({
  name: "pvc-protection/warn",
  doc:
    "Records a Warning Event on a pod that has not started yet: that a claim it wants is being deleted, " +
    "and what to do.",
  settings: z.object({}),
  triggers: [on(PersistentVolumeClaim, ["update"]), on(Pod, ["add", "update"], "pod-updates")],
  permissions: [
    {
      resource: PersistentVolumeClaim,
      verbs: ["list"],
      why: "to find the claims of the namespace that are being deleted",
    },
    { resource: Pod, verbs: ["list"], why: "to find pods that have not started and want such a claim" },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record a warning on such a pod, and to delete one that it replaces",
    },
  ],
  sweep: [],
  concurrency: 100,
  subjects,
  look: async ({ namespace }, { client }): Promise<Facts> => {
    const scope = namespace ? { namespace } : {};
    const deleting: KubernetesObject[] = [];
    for await (const claim of client.list(PersistentVolumeClaim, { ...scope, metadataOnly: true, pageSize: 500 })) {
      if (isBeingDeleted(claim)) deleting.push(claim);
    }
    const pods: KubernetesObject[] = [];
    if (deleting.length === 0) return { pods, deleting };
    const names = new Set(deleting.map(({ metadata }) => metadata.name));
    for await (const pod of client.list(Pod, { ...scope, fieldSelector: "status.phase=Pending" })) {
      if (!isBeingDeleted(pod) && claimsOf(pod).some(({ claim }) => names.has(claim))) pods.push(pod);
    }
    return { pods, deleting };
  },
  decide,
});

function subjects({ kind, change, namespace, object }: Hint): readonly Subject[] {
  if (change === "delete" || !namespace) return [];
  const subject = { kind: PersistentVolumeClaim, namespace };
  if (!object) return [subject];
  if (kind === "PersistentVolumeClaim") return isBeingDeleted(object) ? [subject] : [];
  const waits = kind === "Pod" && (object.status as { phase?: string } | undefined)?.phase === "Pending";
  return waits && claimsOf(object).length > 0 ? [subject] : [];
}

function decide({ pods, deleting }: Facts): readonly Decision[] {
  return pods.map((pod) => {
    const wanted = new Set(claimsOf(pod).map(({ claim }) => claim));
    const claims = deleting.filter(({ metadata }) => wanted.has(metadata.name));
    return about(Pod, pod).record(adviceTo(pod, claims), warning("ClaimBeingDeleted"));
  });
}

/** The scheduler's and the kubelet's messages of the original proposal, each with what its reader can do. */
function adviceTo(pod: KubernetesObject, claims: readonly KubernetesObject[]): string {
  const names = claims.map(({ metadata }) => metadata.name).join(", ");
  if (!isBound(pod))
    return (
      `PVC (${names}) is in scheduled for deletion state: the pod cannot be scheduled. ` +
      "Delete the pod, or wait until the claim is gone and create the claim again."
    );
  // A claim that still carries the in-tree finalizer is mounted all the same, and held from then on by this pod.
  if (claims.every((claim) => hasFinalizer(claim, inTreeProtection)))
    return (
      `The pod starts with PVC (${names}), which is being deleted and goes with the last pod that uses it. ` +
      "Save what must outlive the pod."
    );
  return (
    `can't start pod (${pod.metadata.name}) because it's using PVC (${names}) that is being deleted. ` +
    "Delete the pod, wait until the claim is gone, then create both again."
  );
}
