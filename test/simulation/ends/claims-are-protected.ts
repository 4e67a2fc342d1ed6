import { claimsOf, type End, environmentOf, has, inTree, ours } from "./end.ts";

/** Every live claim carries our finalizer, and Kubernetes' own as well. */
export const claimsAreProtected: End = {
  name: "claims-are-protected",
  check(truth) {
    const { setting } = truth.scenario;
    const both = setting.inTree || environmentOf(truth, "pvc-protection-protect").IN_TREE === "absent";
    for (const claim of claimsOf(truth)) {
      if (claim.metadata.deletionTimestamp) continue;
      const missing = [ours(truth), ...(both ? [inTree] : [])].filter((finalizer) => !has(claim, finalizer));
      if (missing.length > 0) return `Claim ${claim.metadata.name} lives without ${missing.join(" and ")}.`;
    }
    return undefined;
  },
};
