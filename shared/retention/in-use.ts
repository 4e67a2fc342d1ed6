import type { Decision } from "../decision.ts";
import { isBeingDeleted } from "../kubernetes/finalizer.ts";
import { PersistentVolumeClaim } from "../kubernetes/kind.ts";
import type { TemplateClaim } from "./look-at-set.ts";

/**
 * Nobody can see a scale-up that comes between the last read and the DELETE, and Kubernetes takes no deletion back. Its own
 * controller makes no pod on a claim that it sees being deleted, so this is a pod that was made in that very moment.
 */
export function inUse({ claim, pod }: TemplateClaim, action: string): Decision | undefined {
  if (!isBeingDeleted(claim) || !pod || isBeingDeleted(pod)) return undefined;
  const note =
    `Claim ${claim.metadata.name} is being deleted, and pod ${pod.metadata.name} uses it: its data goes with the pod. ` +
    "Copy what is worth keeping, then delete the pod; the set makes it anew with a fresh claim.";
  const notice = { type: "Warning", reason: "ReplicaOnDeletedClaim", action, note } as const;
  return { about: claim, kind: PersistentVolumeClaim, do: "tell", because: note, notice };
}
