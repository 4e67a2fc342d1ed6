import type { Client } from "../../../shared/kubernetes/client.ts";
import { ControllerRevision, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { StatefulSet } from "../../../shared/retention/stateful-set.ts";

/** What a set's pods and revisions show of how its deletion was asked for: their owner references are what tells. */
export type Evidence = "cascade" | "orphaned" | "none";

/**
 * Reads what the set's dependents show. To be called after the set was read: an orphan deletion that comes later changes
 * the set, so that no write on it as it was read succeeds.
 *
 * A background deletion leaves all of them as they are as long as our finalizer holds the set. An orphan deletion has its
 * references removed by the garbage collector, the finalizer `orphan` after them. A foreground deletion removes them
 * all, the finalizer `foregroundDeletion` after them; Kubernetes 1.36 then makes a new ControllerRevision for the set, which
 * therefore proves nothing.
 */
export async function readEvidence(client: Client, set: StatefulSet): Promise<Evidence> {
  const { namespace, name } = set.metadata;
  const labels = Object.entries(set.spec.selector?.matchLabels ?? {});
  const options = {
    ...(namespace ? { namespace } : {}),
    ...(labels.length > 0 ? { labelSelector: labels.map(([key, value]) => `${key}=${value}`).join(",") } : {}),
    metadataOnly: true,
  };
  const current = revisionsOf(set);
  const isPodName = new RegExp(`^${name.replaceAll(".", "\\.")}-[0-9]+$`);
  const seen: Evidence[] = [];
  for await (const { metadata } of client.list(ControllerRevision, options))
    seen.push(evidenceOf(set, metadata, current.includes(metadata.name)));
  for await (const { metadata } of client.list(Pod, options))
    seen.push(evidenceOf(set, metadata, isPodName.test(metadata.name)));
  if (seen.includes("orphaned")) return "orphaned";
  return seen.includes("cascade") ? "cascade" : "none";
}

/** `isKnown`: whether by its name it was the set's before the deletion; others may have been anybody's. */
function evidenceOf(set: StatefulSet, dependent: KubernetesObject["metadata"], isKnown: boolean): Evidence {
  const references = dependent.ownerReferences ?? [];
  if (references.some(({ uid }) => uid === set.metadata.uid))
    return isBefore(dependent.creationTimestamp, set.metadata.deletionTimestamp) ? "cascade" : "none";
  return isKnown && !references.some(({ controller }) => controller) ? "orphaned" : "none";
}

/** Times of the API are whole seconds: what was made in the second of the deletion may have been made after it. */
function isBefore(one: string | undefined, other: string | undefined): boolean {
  return Date.parse(one ?? "") < Date.parse(other ?? "");
}

/** The names of the revisions that the set's controller worked with last. */
function revisionsOf({ status }: StatefulSet): readonly (string | undefined)[] {
  const { currentRevision, updateRevision } = (status ?? {}) as { currentRevision?: string; updateRevision?: string };
  return [currentRevision, updateRevision];
}
