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
  readonly labels: Readonly<Record<string, string>>;
}

/** Whether a Node has every label of a `nodeSelector` with just that value; an absent one is met by all. */
export function matchesLabels(selector: Readonly<Record<string, string>> | undefined, node: Labelled): boolean {
  return Object.entries(selector ?? {}).every(([key, value]) => node.labels[key] === value);
}

/**
 * Whether a Node matches a `nodeAffinity`; an absent one is matched by all. A term without requirements matches
 * nothing, and `metadata.name` is the only field.
 */
export function matchesAffinity(affinity: NodeSelector | undefined, node: Labelled): boolean {
  return (
    affinity === undefined ||
    affinity.nodeSelectorTerms.some(({ matchExpressions = [], matchFields = [] }) => {
      if (matchExpressions.length + matchFields.length === 0) return false;
      return (
        matchExpressions.every((requirement) => meets(requirement, node.labels[requirement.key])) &&
        matchFields.every((requirement) => requirement.key === "metadata.name" && meets(requirement, node.name))
      );
    })
  );
}
