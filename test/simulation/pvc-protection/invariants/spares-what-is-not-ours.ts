import { isDeepStrictEqual } from "node:util";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { type Invariant, isBy, isClaim, leaving } from "../../invariants/invariant.ts";
import { removable } from "../protection.ts";

/**
 * Finalizers of others stay; Kubernetes' own is ours to remove only where a setting says that no other program does.
 */
export const sparesOtherFinalizers: Invariant = {
  name: "spares-other-finalizers",
  check(change) {
    if (!isBy(change, "pvc-protection") || !isClaim(change)) return undefined;
    const allowed = removable(change.by.process);
    const taken = leaving(change).filter((finalizer) => !allowed.includes(finalizer));
    return taken.length > 0
      ? `Claim ${change.object.metadata.name} lost ${taken.join(" and ")} by our write.`
      : undefined;
  },
};

/** Nothing but finalizers, and annotations and labels of ours, is ever changed by us. */
export const sparesOtherFields: Invariant = {
  name: "spares-other-fields",
  check(change) {
    const { before, after } = change;
    if (!isBy(change, "pvc-protection") || !isClaim(change) || !before || !after) return undefined;
    return isDeepStrictEqual(ofOthers(before), ofOthers(after))
      ? undefined
      : `Claim ${change.object.metadata.name} was changed by us in a part that is not ours.`;
  },
};

function ofOthers({ metadata, ...rest }: KubernetesObject): object {
  const { finalizers, resourceVersion, annotations = {}, labels = {}, managedFields, ...others } = metadata;
  const foreign = (record: Record<string, string>) =>
    Object.entries(record).filter(([key]) => !key.startsWith("holdfast.dev/"));
  return { ...rest, others, annotations: foreign(annotations), labels: foreign(labels) };
}
