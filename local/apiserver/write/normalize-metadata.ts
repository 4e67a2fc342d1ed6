import type { ObjectMeta } from "../../../shared/kubernetes/object.ts";

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
