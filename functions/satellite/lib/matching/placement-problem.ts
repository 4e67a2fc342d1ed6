import { isLabelKey, isLabelValue } from "../../../../shared/kubernetes/label-syntax.ts";
import type { Toleration } from "../../../../shared/kubernetes/toleration.ts";
import { affinityProblem, labelProblem } from "../configuration/problems.ts";
import type { Placement } from "./satellite-wanted.ts";

/**
 * What is wrong with where a LinstorCluster wants satellites, as a sentence that follows its name. While it is, no rule
 * can say which Nodes are not to have one: that none is wanted anywhere would be a guess, and would delete them all.
 */
export function placementProblem({ nodeSelector = {}, nodeAffinity, tolerations = [] }: Placement): string | undefined {
  const problem =
    selectorProblem(nodeSelector) ?? affinityProblem(nodeAffinity) ?? tolerations.map(tolerationProblem).find(Boolean);
  return problem && `${problem} No satellite is created or deleted because of it before it is corrected.`;
}

function selectorProblem(nodeSelector: Readonly<Record<string, string>>): string | undefined {
  const problems = Object.entries(nodeSelector).map(([key, value]) => labelProblem({ key, values: [value] }));
  const problem = problems.find(Boolean);
  return problem && `Its nodeSelector ${problem}.`;
}

/** The rules of `core/v1.Toleration`. */
function tolerationProblem(toleration: Toleration): string | undefined {
  const { key = "", operator = "Equal", value = "", effect = "", tolerationSeconds } = toleration;
  const one = `Its toleration of ${key || "every taint"}`;
  if (operator !== "Exists" && operator !== "Equal")
    return `${one} has the operator ${operator}, which is neither Exists nor Equal.`;
  if (!key && operator === "Equal") return "One of its tolerations has no key: that needs the operator Exists.";
  if (value && operator === "Exists") return `${one} has the operator Exists and a value, which it cannot have.`;
  if (key && !isLabelKey(key)) return `${one} has a key that no taint can have.`;
  if (!isLabelValue(value)) return `${one} has the value ${value}, which no taint can have.`;
  if (tolerationSeconds !== undefined && effect !== "NoExecute")
    return `${one} has tolerationSeconds, which need the effect NoExecute.`;
  return ["", "NoSchedule", "PreferNoSchedule", "NoExecute"].includes(effect)
    ? undefined
    : `${one} has the effect ${effect}, which is none of NoSchedule, PreferNoSchedule and NoExecute.`;
}
