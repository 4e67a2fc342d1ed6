import type { Kind } from "../../../shared/kubernetes/kind.ts";
import { remember } from "../remember.ts";
import type { Resource } from "../resource.ts";
import { definitionOf, referredBy, refTo, schemaOf } from "./builtin-schemas.ts";
import type { Schema } from "./schema.ts";

/** A served kind: built in, or with the schema of its CustomResourceDefinition. */
export type TypedKind = Kind & Pick<Resource, "custom">;

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** What every custom resource has beside its own schema. */
const header: Record<string, Schema> = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: refTo(objectMeta),
};

/** The schema of a kind's objects. Of a kind that is not served nothing is known. */
export const typeOf = (kind: TypedKind): Schema =>
  kind.custom ? withHeader(kind.custom.schema) : schemaOf(definitionOf(kind) ?? "");

/** Follows a reference. What the referring field says of merging comes before what the type says of itself. */
export function resolve(schema: Schema): Schema {
  const definition = referredBy(schema);
  if (definition === undefined) return schema["x-kubernetes-embedded-resource"] ? withHeader(schema) : schema;
  return merged(schema);
}

const merged = remember((schema: Schema): Schema => ({ ...schemaOf(referredBy(schema) ?? ""), ...schema }));

/** The schema of a custom resource or of an embedded one with the fields that every object has. */
export const withHeader = remember(
  (schema: Schema): Schema => ({ ...schema, properties: { ...schema.properties, ...header } }),
);

/** The schema of one member of an object; `undefined` when the type has no such member. */
export function memberType(schema: Schema, name: string): Schema | undefined {
  if (schema.properties && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}
