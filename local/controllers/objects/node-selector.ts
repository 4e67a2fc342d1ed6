import { meets } from "./label-selector.ts";
import type { NodeObject, NodeSelector } from "./node.ts";

/** Whether a node satisfies any term of a `core/v1.NodeSelector`; a term without requirements is satisfied by none. */
export function matchesNode({ nodeSelectorTerms }: NodeSelector, node: NodeObject): boolean {
  return nodeSelectorTerms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (!matchExpressions.length && !matchFields.length) return false;
    return (
      matchExpressions.every((requirement) => meets(requirement, node.metadata.labels?.[requirement.key])) &&
      matchFields.every((requirement) => requirement.key === "metadata.name" && meets(requirement, node.metadata.name))
    );
  });
}
