import { type Labels, meetsLabels } from "./label-selector.ts";
import { meets, type Requirement } from "./requirement.ts";

/** `core/v1.NodeSelector`: any of the terms, all requirements within a term. */
export interface NodeSelector {
  readonly nodeSelectorTerms: readonly {
    readonly matchExpressions?: readonly Requirement[] | undefined;
    readonly matchFields?: readonly Requirement[] | undefined;
  }[];
}

/** What of a Node decides whether it matches. */
export interface Labelled {
  readonly name: string;
  readonly labels?: Labels | undefined;
}

/**
 * Whether a Node matches a node selector, as component-helpers' `nodeaffinity`: an absent selector is matched by all, a
 * term without requirements by none, and `metadata.name` is the only field.
 */
export function matchesNodeSelector(selector: NodeSelector | undefined, { name, labels = {} }: Labelled): boolean {
  return (
    selector === undefined ||
    selector.nodeSelectorTerms.some(({ matchExpressions = [], matchFields = [] }) => {
      if (matchExpressions.length + matchFields.length === 0) return false;
      return (
        matchExpressions.every((requirement) => meetsLabels(requirement, labels)) &&
        matchFields.every((requirement) => requirement.key === "metadata.name" && meets(requirement, name))
      );
    })
  );
}
