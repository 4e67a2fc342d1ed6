import { type Invariant, isBy } from "../../invariants/invariant.ts";
import { momentsOf, yielding } from "../moments.ts";
import type { Fates, SetLike } from "../words.ts";

/** What project writes onto a set's field is never more than the policy that is in force asks for. */
export const fieldIsThePolicy: Invariant = {
  name: "field-is-the-policy",
  check(change, truth) {
    if (!isBy(change, "pvc-retention/project") || change.object.kind !== "StatefulSet" || !change.after)
      return undefined;
    const before = fieldOf(change.before as SetLike);
    const after = fieldOf(change.after as SetLike);
    const { PROJECT: extent = "whole" } = change.by.process.environment;
    for (const part of ["whenDeleted", "whenScaled"] as const) {
      if (after[part] !== "Delete" || before[part] === "Delete") continue;
      const name = change.after.metadata.name;
      const isAsked = momentsOf(truth, name).some(
        ({ set, policy, sets }) => set && policy?.[part] === "Delete" && policy.grace === 0 && !hasRival(set, sets),
      );
      if (!isAsked || extent === "off" || (extent === "scaled" && part === "whenDeleted"))
        return `Set ${name} was given ${part}: Delete, which nothing asks for.`;
    }
    return undefined;
  },
};

export const fieldOf = (set: SetLike | undefined): Fates => set?.spec.persistentVolumeClaimRetentionPolicy ?? {};

/** Whether another set yields claim names that this one yields. */
export function hasRival({ metadata, spec }: SetLike, sets: readonly SetLike[]): boolean {
  return (spec.volumeClaimTemplates ?? []).some((template) => {
    const name = `${template.metadata.name}-${metadata.name}-0`;
    return (
      yielding(sets, {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name, uid: "", resourceVersion: "" },
      }).length > 1
    );
  });
}
