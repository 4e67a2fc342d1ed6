import type { KubernetesObject, ObjectMeta } from "../../../shared/kubernetes/object.ts";

const containers = ["labels", "annotations", "finalizers", "ownerReferences", "managedFields"];
const texts = ["name", "generateName", "namespace", "uid", "resourceVersion"];

/** Drops what Go would not write: empty lists, maps and texts. In place. */
export function normalizeMetadata(metadata: Partial<ObjectMeta>): void {
  for (const field of containers) {
    const value = metadata[field];
    if (typeof value === "object" && value !== null && Object.keys(value).length === 0) delete metadata[field];
  }
  for (const field of texts) if (metadata[field] === "") delete metadata[field];
}

/** Keeps one of equal owner references and warns of the rest, as the API server does since 1.20. In place. */
export function dedupeOwners({ metadata }: KubernetesObject, warnings: string[]): void {
  const owners = metadata.ownerReferences ?? [];
  if (owners.length < 2) return;
  const seen = new Set<string>();
  const twice = new Set<string>();
  metadata.ownerReferences = owners.filter((owner) => {
    const text = JSON.stringify(Object.entries(owner).sort());
    if (seen.has(text)) twice.add(owner.uid);
    return !seen.has(text) && seen.add(text);
  });
  if (twice.size === 0) return;
  warnings.push(
    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, " +
      "and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " +
      `${[...twice].join(", ")}`,
  );
}
