import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { lastWords } from "../api/progress.ts";

/** Since when an object is being deleted and still there, and what keeps it, as rules have written it down. */
export function heldBecause(object: KubernetesObject): string | undefined {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (!deletionTimestamp || finalizers.length === 0) return undefined;
  const said = lastWords(object).toSorted((one, other) => (one.since < other.since ? 1 : -1))[0]?.because;
  return said ?? `These finalizers keep it: ${finalizers.join(", ")}.`;
}
