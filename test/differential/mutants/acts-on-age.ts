import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { ordinalIn } from "./look.ts";
import { mutant } from "./mutant.ts";

export const actsOnAge = mutant({
  name: "acts-on-age",
  doc: "Takes a claim without a pod that is younger than the set and out of its range for scaled away.",
  replaces: "pvc-retention/set-owner",
  decide: ({ set, idle }) => {
    if (set?.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== "Delete") return [];
    const { name, creationTimestamp = "" } = set.metadata;
    const first = set.spec.ordinals?.start ?? 0;
    const isScaledAway = (ordinal: number) => ordinal < first || ordinal >= first + set.spec.replicas;
    return idle
      .filter((claim) => isScaledAway(ordinalIn(claim, set) ?? first))
      .filter(({ metadata }) => (metadata.creationTimestamp ?? "") >= creationTimestamp)
      .map((claim) => ({
        do: "write",
        about: claim,
        kind: PersistentVolumeClaim,
        message: `${name} was scaled down.`,
        writes: [
          {
            verb: "delete",
            kind: PersistentVolumeClaim,
            namespace: claim.metadata.namespace,
            name: claim.metadata.name,
            options: { uid: claim.metadata.uid, resourceVersion: claim.metadata.resourceVersion },
          },
        ],
      }));
  },
});
