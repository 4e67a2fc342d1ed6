import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { fieldOf, keeps } from "../sequence/policy.ts";
import { mutant } from "./mutant.ts";

export const forcesField = mutant({
  name: "forces-field",
  doc: "Makes the field what the annotation says, also if another manager has applied another value.",
  replaces: "pvc-retention/sync-policy",
  decide: ({ set, policy }) => {
    if (!set || policy === undefined) return [];
    const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? keeps;
    const field = fieldOf(policy);
    if (whenDeleted === field.whenDeleted && whenScaled === field.whenScaled) return [];
    const { name, namespace, uid, resourceVersion } = set.metadata;
    return [
      {
        do: "write",
        about: set,
        kind: StatefulSet,
        message: `The policy of ${name} is ${policy}.`,
        writes: [
          {
            verb: "patch",
            kind: StatefulSet,
            namespace,
            name,
            type: "merge",
            patch: { metadata: { uid, resourceVersion }, spec: { persistentVolumeClaimRetentionPolicy: field } },
          },
        ],
      },
    ];
  },
});
