import type { Toleration } from "../../../../shared/kubernetes/toleration.ts";
import { affinityProblem } from "../configuration/problems.ts";
import type { Placement } from "./satellite-wanted.ts";

/**
 * What is wrong with where a LinstorCluster wants satellites, as a sentence that follows its name. While it is, no rule
 * can say which Nodes are not to have one: that none is wanted anywhere would be a guess, and would delete them all.
 */
export function placementProblem({ nodeAffinity, tolerations = [] }: Placement): string | undefined {
  const problem = affinityProblem(nodeAffinity) ?? tolerations.map(tolerationProblem).find(Boolean);
  return problem && `${problem} No satellite is created or deleted because of it before it is corrected.`;
}

/** The rules of `core/v1.Toleration`. */
function tolerationProblem({ key = "", operator = "Equal", value, effect = "" }: Toleration): string | undefined {
  const one = `Its toleration of ${key || "every taint"}`;
  if (operator !== "Exists" && operator !== "Equal")
    return `${one} has the operator ${operator}, which is neither Exists nor Equal.`;
  if (!key && operator === "Equal") return "One of its tolerations has no key: that needs the operator Exists.";
  if (value && operator === "Exists") return `${one} has the operator Exists and a value, which it cannot have.`;
  return ["", "NoSchedule", "PreferNoSchedule", "NoExecute"].includes(effect)
    ? undefined
    : `${one} has the effect ${effect}, which is none of NoSchedule, PreferNoSchedule and NoExecute.`;
}
