import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { claimsOf, environmentOf, has, type LivenessCheck, type LivenessTruth } from "../../liveness/liveness-check.ts";
import { inTree } from "../may-run.ts";
import { isUsed, ours, progress } from "../protection.ts";

/** A claim that is being deleted has gone, unless something still holds it; what we hold says so. */
export const claimsGo: LivenessCheck = {
  name: "claims-go",
  check(truth) {
    for (const claim of claimsOf(truth)) {
      const problem = claim.metadata.deletionTimestamp && problemOf(claim, truth);
      if (problem) return `Claim ${claim.metadata.name} ${problem}.`;
    }
    return undefined;
  },
};

function problemOf(claim: KubernetesObject, truth: LivenessTruth): string | undefined {
  const { IN_TREE: inTreeSetting = "present" } = environmentOf(truth, "pvc-protection-release");
  const alone = inTreeSetting !== "present";
  if (!has(claim, ours(truth))) {
    // Where Kubernetes' own controller runs, what carries its finalizer alone is its own.
    const left = !truth.scenario.setting.inTree && alone && has(claim, inTree) && !isUsed(truth, claim);
    return left ? `is held by ${inTree} alone, which no controller removes` : undefined;
  }
  if (isUsed(truth, claim)) {
    const said = claim.metadata.annotations?.[progress];
    return said?.includes(`"step":"held"`) && said.includes(claim.metadata.uid)
      ? undefined
      : "is held and does not say so";
  }
  const waits = ours(truth) !== inTree && !alone && has(claim, inTree) && isUsed(truth, claim, "strict");
  return waits ? undefined : "is used by no pod and has not gone";
}
