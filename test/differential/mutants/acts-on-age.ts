import * as z from "zod";
import { PersistentVolumeClaim, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { lookAtSet, ordinalIn, reading, setOf } from "./look.ts";
import { mutant } from "./mutant.ts";

const doc = "Takes a claim without a pod that is younger than the set and out of its range for scaled away.";

export const actsOnAge = mutant(
  "acts-on-age",
  doc,
  rule({
    name: "pvc-retention/own",
    doc,
    settings: z.object({}),
    wakes: [on(StatefulSet, ["add", "update"])],
    may: reading,
    sweep: [],
    subjects: setOf,
    look: lookAtSet,
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
          because: `${name} was scaled down.`,
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
  }),
);
