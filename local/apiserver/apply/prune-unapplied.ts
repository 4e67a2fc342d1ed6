import { type Fields, setField } from "../../../shared/kubernetes/fields.ts";
import { isGranular, partsOf, type Typed } from "./element.ts";
import { descend, type FieldSet, withParents } from "./field-set.ts";

/**
 * Takes out of a merged object what a manager applied last time (`last`), does not apply any more, and no manager owns
 * (`owned`: the paths of all managers, the applying one's new ones included). A container goes whole when nothing in it
 * is owned, also with what was only defaulted into it.
 */
export function prune(merged: Typed, last: FieldSet, owned: FieldSet): unknown {
  return walk(merged, "", withParents(last), withParents(owned));
}

function walk({ value, schema }: Typed, path: string, last: FieldSet, owned: FieldSet): unknown {
  if (!isGranular(value, schema)) return value;
  const kept: [string, unknown][] = [];
  for (const [element, part] of partsOf(value, schema)) {
    const deeper = descend(path, element);
    if (!last.has(deeper)) kept.push([element, part.value]);
    else if (owned.has(deeper)) kept.push([element, walk(part, deeper, last, owned)]);
  }
  if (Array.isArray(value)) return kept.map(([, item]) => item);
  const fields: Fields = {};
  for (const [element, member] of kept) setField(fields, element.slice(2), member);
  return fields;
}
