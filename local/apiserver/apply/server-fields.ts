import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import type { Resource } from "../resource.ts";
import { descend, type FieldSet } from "./field-set.ts";

const inMetadata = [
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "selfLink",
  "managedFields",
];

/** An object without what no manager owns: its identity, and what the server alone writes. */
export function withoutServerFields(object: Fields): Fields {
  const { apiVersion: _, kind: __, ...rest } = object;
  if (!isFields(rest.metadata)) return rest;
  const metadata = { ...rest.metadata };
  for (const name of inMetadata) delete metadata[name];
  return { ...rest, metadata };
}

/** A field set without them, and without `metadata` for itself. */
export function tracked(fields: FieldSet): FieldSet {
  return new Set([...fields].filter((path) => path !== "" && !untracked.has(path)));
}

const untracked = new Set([
  "f:apiVersion",
  "f:kind",
  "f:metadata",
  ...inMetadata.map((name) => descend("f:metadata", `f:${name}`)),
]);

/**
 * The part of an object that an endpoint writes: an object's own endpoint leaves its status alone where that has an
 * endpoint, and the `status` endpoint writes hardly anything but it.
 */
export function writtenPart(
  { subresources }: Pick<Resource, "subresources">,
  object: Fields,
  subresource: string | undefined,
): Fields {
  const { status, ...rest } = object;
  if (subresource === "status") {
    const { apiVersion, kind, metadata } = object;
    return { apiVersion, kind, metadata, ...(status === undefined ? {} : { status }) };
  }
  return subresources?.includes("status") ? rest : object;
}
