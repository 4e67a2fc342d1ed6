import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import type { Resource } from "../resource.ts";
import { builtinColumns } from "./builtin-columns.ts";
import { printerOf } from "./printer-of.ts";

/** What a row carries beside its cells. */
export type IncludeObject = "None" | "Metadata" | "Object";

/**
 * Shows one object, or a list, as the `Table` that kubectl prints: the columns of the API server, for custom resources
 * those of their definition. `now`, in milliseconds since the epoch, is what ages are counted from.
 */
export function toTable(
  resource: Resource,
  objectOrList: Fields,
  now: number,
  includeObject: IncludeObject = "Metadata",
): Fields {
  const { custom, kind } = resource;
  const printer = printerOf(
    custom ? custom.printerColumns : builtinColumns[kind],
    custom !== undefined || kind !== "Event",
  );
  const isList = Array.isArray(objectOrList.items) && String(objectOrList.kind).endsWith("List");
  const objects: unknown[] = isList ? (objectOrList.items as unknown[]) : [objectOrList];
  const metadata = isFields(objectOrList.metadata) ? objectOrList.metadata : {};
  const { resourceVersion, continue: token, remainingItemCount } = metadata;
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: defined({ resourceVersion, continue: token || undefined, remainingItemCount }),
    columnDefinitions: printer.columns,
    rows: objects.filter(isFields).map((object) => ({
      cells: printer.cells(object, now),
      object: carried(resource, object, includeObject),
    })),
  };
}

const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function carried(resource: Resource, object: Fields, includeObject: IncludeObject): Fields | null {
  if (includeObject === "None") return null;
  if (includeObject === "Object") return { kind: resource.kind, apiVersion: resource.apiVersion, ...object };
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata };
}
