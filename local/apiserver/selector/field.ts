import { groupOf } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { badRequest } from "../failure.ts";
import type { Resource } from "../resource.ts";

/** Whether an object's fields are selected. */
export type FieldSelector = (object: KubernetesObject) => boolean;

/**
 * Reads the text of a `fieldSelector` parameter: `field=value`, `field==value`, `field!=value`, joined by commas. A
 * field that does not exist has the empty value. Throws 400 for a field that is not indexed for this resource.
 */
export function parseFieldSelector(resource: Resource, text: string): FieldSelector {
  const terms = text
    .split(",")
    .filter(Boolean)
    .map((term) => {
      const operator = /!=|==?/.exec(term);
      if (!operator) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      const field = term.slice(0, operator.index);
      const value = term.slice(operator.index + operator[0].length);
      const read = readerOf(resource, field);
      if (!read) throw badRequest(`field label not supported: ${field}`);
      return { read, value, wanted: operator[0] !== "!=" };
    });
  return (object) => terms.every(({ read, value, wanted }) => (read(object) === value) === wanted);
}

const parts = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** What rules and kubectl select by, beside name and namespace. */
const indexed: Readonly<Record<string, readonly string[]>> = {
  "/Pod": ["spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "status.phase"],
  "/Event": ["reason", "type", ...parts.map((part) => `involvedObject.${part}`)],
  "events.k8s.io/Event": ["reason", "type", ...parts.map((part) => `regarding.${part}`)],
};

/** Reads a field by which objects of a resource can be selected, as text; `undefined` for any other. */
function readerOf(resource: Resource, field: string): ((object: KubernetesObject) => string) | undefined {
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
