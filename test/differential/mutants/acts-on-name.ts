import { PersistentVolumeClaim, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { ordinalIn } from "./look.ts";
import { mutant } from "./mutant.ts";

export const actsOnName = mutant({
  name: "acts-on-name",
  doc: "Ties every claim without a pod to the set whose claims have such names, where they are to go with it.",
  replaces: "pvc-retention/set-owner",
  decide: ({ set, idle }) => {
    if (set?.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted !== "Delete") return [];
    const { name, uid } = set.metadata;
    const { apiVersion, kind } = StatefulSet;
    const ownerReferences = [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false }];
    return idle
      .filter((claim) => ordinalIn(claim, set) !== undefined && !claim.metadata.ownerReferences?.length)
      .map(({ metadata, ...claim }) => ({
        do: "write",
        about: { metadata, ...claim },
        kind: PersistentVolumeClaim,
        message: `It has a name as claims of ${name} have.`,
        writes: [
          {
            verb: "patch",
            kind: PersistentVolumeClaim,
            namespace: metadata.namespace,
            name: metadata.name,
            type: "merge",
            patch: { metadata: { uid: metadata.uid, resourceVersion: metadata.resourceVersion, ownerReferences } },
          },
        ],
      }));
  },
});
