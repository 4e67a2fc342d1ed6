import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { badRequest } from "../failure.ts";
import type { Resource } from "../resource.ts";
import { readerOf } from "./selectable.ts";

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
