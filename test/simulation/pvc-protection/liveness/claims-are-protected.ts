import { claimsOf, environmentOf, has, type LivenessCheck, wasStripped } from "../../liveness/liveness-check.ts";
import { inTree } from "../may-run.ts";
import { ours } from "../protection.ts";

/**
 * Every live claim carries our finalizer, and Kubernetes' own as well. One from which a user took Kubernetes' own,
 * unseen, gets it back at its resync, which no run waits for.
 */
export const claimsAreProtected: LivenessCheck = {
  name: "claims-are-protected",
  check(truth) {
    const { setting } = truth.scenario;
    const both = setting.inTree || environmentOf(truth, "pvc-protection-protect").IN_TREE === "absent";
    for (const claim of claimsOf(truth)) {
      if (claim.metadata.deletionTimestamp) continue;
      const wanted = both && !wasStripped(truth, claim.metadata.uid, inTree) ? [ours(truth), inTree] : [ours(truth)];
      const missing = wanted.filter((finalizer) => !has(claim, finalizer));
      if (missing.length > 0) return `Claim ${claim.metadata.name} lives without ${missing.join(" and ")}.`;
    }
    return undefined;
  },
};
