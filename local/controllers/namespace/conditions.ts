import type { Condition } from "../objects/condition.ts";
import type { Remains } from "./delete-content.ts";

/** The five conditions that show how far the deletion of a namespace is, in the words of the namespace controller. */
export function deletionConditions({ kinds, finalizers, failures, podsFirst }: Remains): Condition[] {
  // As long as pods remain the namespace controller counts nothing else, and says nothing of the pods either.
  const remaining = podsFirst ? [] : counted(kinds, (kind, count) => `${kind} has ${count} resource instances`);
  const held = podsFirst ? [] : counted(finalizers, (name, count) => `${name} in ${count} resource instances`);
  const failed = failures.map((error) => (error instanceof Error ? error.message : String(error))).sort();
  const condition = (type: string, good: string, fine: string, bad = "", wrong?: string | false): Condition => ({
    type: `Namespace${type}`,
    ...(wrong ? { status: "True", reason: bad, message: wrong } : { status: "False", reason: good, message: fine }),
  });
  const list = (words: string, items: readonly string[]) => items.length > 0 && `${words}: ${items.join(", ")}`;
  return [
    condition("DeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    condition("DeletionGroupVersionParsingFailure", "ParsedGroupVersions", "All legacy kube types successfully parsed"),
    condition(
      "DeletionContentFailure",
      "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization",
      "ContentDeletionFailed",
      list(`Failed to delete all resource types, ${failed.length} remaining`, failed),
    ),
    condition(
      "ContentRemaining",
      "ContentRemoved",
      "All content successfully removed",
      "SomeResourcesRemain",
      list("Some resources are remaining", remaining),
    ),
    condition(
      "FinalizersRemaining",
      "ContentHasNoFinalizers",
      "All content-preserving finalizers finished",
      "SomeFinalizersRemain",
      list("Some content in the namespace has finalizers remaining", held),
    ),
  ];
}

function counted(counts: ReadonlyMap<string, number>, line: (key: string, count: number) => string): string[] {
  return [...counts].map(([key, count]) => line(key, count)).sort();
}
