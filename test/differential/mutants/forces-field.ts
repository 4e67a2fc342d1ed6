import * as z from "zod";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { fieldOf, keeps } from "../sequence/policy.ts";
import { lookAtSet, reading, setOf } from "./look.ts";
import { mutant } from "./mutant.ts";

const doc = "Makes the field what the annotation says, whoever has applied another value.";

export const forcesField = mutant(
  "forces-field",
  doc,
  rule({
    name: "pvc-retention/project",
    doc,
    settings: z.object({}),
    wakes: [on(StatefulSet, ["add", "update"])],
    may: reading,
    sweep: [],
    subjects: setOf,
    look: lookAtSet,
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
          because: `The policy of ${name} is ${policy}.`,
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
  }),
);
