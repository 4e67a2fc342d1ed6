import { finalizers, type Invariant, isBy, isClaim, leaving } from "../../invariants/invariant.ts";
import { inTree } from "../may-run.ts";
import { finalizerOf } from "../protection.ts";

/** Ours leaves only when Kubernetes' own has left before: until then a kubelet may start another pod. */
export const afterInTree: Invariant = {
  name: "after-in-tree",
  check(change) {
    if (!isBy(change, "pvc-protection") || !isClaim(change)) return undefined;
    const ours = finalizerOf(change.by.process);
    if (ours === inTree || !leaving(change).includes(ours)) return undefined;
    return finalizers(change.before).includes(inTree)
      ? `Claim ${change.object.metadata.name} lost ${ours} while ${inTree} was still on it.`
      : undefined;
  },
};
