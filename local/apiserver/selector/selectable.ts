import { groupOf } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Resource } from "../resource.ts";

/** Reads a field of an object as text; absent is empty. */
type Reader = (object: KubernetesObject) => string;

const parts = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** What rules and kubectl select by, beside name and namespace. */
const indexed: Readonly<Record<string, readonly string[]>> = {
  "/Pod": ["spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "status.phase"],
  "/Event": ["reason", "type", ...parts.map((part) => `involvedObject.${part}`)],
  "events.k8s.io/Event": ["reason", "type", ...parts.map((part) => `regarding.${part}`)],
};

/** Reads a field by which objects of a resource can be selected; `undefined` for any other. */
export function readerOf(resource: Resource, field: string): Reader | undefined {
  const own = resource.custom ? [] : (indexed[`${groupOf(resource)}/${resource.kind}`] ?? []);
  if (!["metadata.name", "metadata.namespace", ...own].includes(field)) return undefined;
  // Stored events have the shape of core/v1.
  const steps = field.replace(/^regarding\./, "involvedObject.").split(".");
  return (object) => {
    let value: unknown = object;
    for (const step of steps) value = (value as Record<string, unknown> | undefined)?.[step];
    return value === undefined || value === null ? "" : String(value);
  };
}
