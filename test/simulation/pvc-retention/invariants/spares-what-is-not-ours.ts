import { isDeepStrictEqual } from "node:util";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { type Invariant, isBy, leaving } from "../../invariants/invariant.ts";
import { finalizer } from "../words.ts";

/** Nothing is ever changed by us but owners of claims, annotations and the label of ours, our finalizer, and the one field of sets. */
export const sparesWhatIsNotOurs: Invariant = {
  name: "spares-what-is-not-ours-of-sets-and-claims",
  check(change) {
    const { before, after, object } = change;
    if (!isBy(change, "pvc-retention") || object.kind === "Event" || !before) return undefined;
    const title = `${object.kind} ${object.metadata.name}`;
    const taken = leaving(change).filter((name) => name !== finalizer);
    if (taken.length > 0) return `${title} lost ${taken.join(" and ")} by our write.`;
    if (!after || isDeepStrictEqual(ofOthers(before), ofOthers(after))) return undefined;
    return `${title} was changed by us in a part that is not ours.`;
  },
};

function ofOthers({ kind, metadata, spec, ...rest }: KubernetesObject): object {
  const { annotations = {}, labels = {}, finalizers = [], name, uid } = metadata;
  const foreign = (record: Record<string, string>) =>
    Object.entries(record).filter(([key]) => !key.startsWith("holdfast.dev/"));
  const { persistentVolumeClaimRetentionPolicy: _, ...others } = (spec ?? {}) as Record<string, unknown>;
  const status = kind === "StatefulSet" ? undefined : rest.status;
  const policies = [annotations["holdfast.dev/pvc-delete-policy"], annotations["holdfast.dev/pvc-delete-after"]];
  const kept = finalizers.filter((one) => one !== finalizer);
  return {
    name,
    uid,
    spec: others,
    status,
    policies,
    kept,
    annotations: foreign(annotations),
    labels: foreign(labels),
  };
}
