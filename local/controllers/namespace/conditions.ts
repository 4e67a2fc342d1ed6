import type { Condition } from "../objects/condition.ts";
import type { Remains } from "./delete-content.ts";

/** The five conditions that show how far the deletion of a namespace is, in the words of the namespace controller. */
export function deletionConditions({ kinds, finalizers, failures, podsFirst }: Remains): Condition[] {
  // As long as pods remain the namespace controller counts nothing else, and says nothing of the pods either.
  const remaining = podsFirst ? [] : counted(kinds, (kind, count) => `${kind} has ${count} resource instances`);
  const held = podsFirst ? [] : counted(finalizers, (name, count) => `${name} in ${count} resource instances`);
  const failed = failures.map((error) => (error instanceof Error ? error.message : String(error))).sort();
  return [
    {
      type: "NamespaceDeletionDiscoveryFailure",
      status: "False",
      reason: "ResourcesDiscovered",
      message: "All resources successfully discovered",
    },
    {
      type: "NamespaceDeletionGroupVersionParsingFailure",
      status: "False",
      reason: "ParsedGroupVersions",
      message: "All legacy kube types successfully parsed",
    },
    failed.length
      ? {
          type: "NamespaceDeletionContentFailure",
          status: "True",
          reason: "ContentDeletionFailed",
          message: `Failed to delete all resource types, ${failed.length} remaining: ${failed.join(", ")}`,
        }
      : {
          type: "NamespaceDeletionContentFailure",
          status: "False",
          reason: "ContentDeleted",
          message: "All content successfully deleted, may be waiting on finalization",
        },
    remaining.length
      ? {
          type: "NamespaceContentRemaining",
          status: "True",
          reason: "SomeResourcesRemain",
          message: `Some resources are remaining: ${remaining.join(", ")}`,
        }
      : {
          type: "NamespaceContentRemaining",
          status: "False",
          reason: "ContentRemoved",
          message: "All content successfully removed",
        },
    held.length
      ? {
          type: "NamespaceFinalizersRemaining",
          status: "True",
          reason: "SomeFinalizersRemain",
          message: `Some content in the namespace has finalizers remaining: ${held.join(", ")}`,
        }
      : {
          type: "NamespaceFinalizersRemaining",
          status: "False",
          reason: "ContentHasNoFinalizers",
          message: "All content-preserving finalizers finished",
        },
  ];
}

function counted(counts: ReadonlyMap<string, number>, line: (key: string, count: number) => string): string[] {
  return [...counts].map(([key, count]) => line(key, count)).sort();
}
