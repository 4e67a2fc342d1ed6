import { holdfastProtection, inTreeProtection } from "../../shared/storage/protection.ts";
import type { WrittenNames } from "../../shared/written-names.ts";

export const names: WrittenNames = {
  name: "pvc-protection",
  finalizers: {
    [holdfastProtection]: {
      means: "Waits until no pod uses the claim. Its name is a [setting](two-phase-protection.md#another-finalizer).",
      ifChanged:
        "If the claim is not being deleted, protect adds it again. If it is, only Kubernetes' own finalizer holds " +
        "the claim. If that one is gone, too, the claim goes at once, and its data by the reclaim policy of the " +
        "volume, also if a pod still writes.",
    },
    [inTreeProtection]: {
      means:
        "The finalizer of Kubernetes' own PVC protection. Holdfast adds it with `IN_TREE=absent` only, and removes " +
        "it with `IN_TREE=absent` or `overruled` only, when no pod uses the claim.",
      ifChanged:
        "Leave it. Without it, a kubelet refuses a claim that is being deleted, and a kubelet that restarts unmounts " +
        "the volume of a running pod.",
    },
  },
};
