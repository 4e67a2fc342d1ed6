import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { type Invariant, isBy } from "../../invariants/invariant.ts";
import type { Change } from "../../world/change.ts";

/**
 * No pod of a replica that is wanted is made for a claim that we have condemned: one that we have deleted, or given to an earlier
 * pod of the name. What Kubernetes' own controller has not heard of yet it cannot know.
 */
export const noReplicaMountsACondemnedClaim: Invariant = {
  name: "no-replica-mounts-a-condemned-claim",
  shownBy: "condemned-claims.test.ts",
  check(change, truth) {
    const { object: pod, before, by } = change;
    if (pod.kind !== "Pod" || before || by.name !== "kubernetes") return undefined;
    const { volumes = [] } = pod.spec as { volumes?: { persistentVolumeClaim?: { claimName: string } }[] };
    const names = volumes.map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName);
    for (const claim of truth.chronicle.live("PersistentVolumeClaim")) {
      if (!names.includes(claim.metadata.name)) continue;
      const verdict = truth.changes.findLast((one) => isVerdict(one, claim));
      if (verdict && change.at - verdict.at > lag && !isTakenBack(claim))
        return `Pod ${pod.metadata.name} was made for claim ${claim.metadata.name}, which had been condemned ${change.at - verdict.at} ms before.`;
    }
    return undefined;
  },
};

/** Milliseconds until every cache has heard of a change. */
const lag = 1_000;

function isVerdict(change: Change, { metadata }: KubernetesObject): boolean {
  const { before, after, object } = change;
  if (object.metadata.uid !== metadata.uid || !isBy(change, "pvc-retention/condemn")) return false;
  const isDeleted = !before?.metadata.deletionTimestamp && after?.metadata.deletionTimestamp !== undefined;
  return isDeleted || podsOf(after).some((uid) => !podsOf(before).includes(uid));
}

const isTakenBack = (claim: KubernetesObject) => !claim.metadata.deletionTimestamp && podsOf(claim).length === 0;

/** The uids of the pods that own a claim. */
const podsOf = (claim: KubernetesObject | undefined) =>
  (claim?.metadata.ownerReferences ?? []).filter(({ kind }) => kind === "Pod").map(({ uid }) => uid);
