import { createRequire } from "node:module";
import { groupOf, type Kind } from "../../../shared/kubernetes/kind.ts";
import type { Schema } from "./schema.ts";

const refPrefix = "#/components/schemas/";

/**
 * What kube-apiserver 1.36.3 publishes under `/openapi/v3` of the kinds that are served here and of all that they refer
 * to, without the prose. `test/cluster/schemas.test.ts` holds it against a real server. With `-u` the test writes it.
 */
const published = createRequire(import.meta.url)("./kubernetes.json") as Readonly<Record<string, Schema>>;

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const definitions = new Map(
  Object.entries(published).flatMap(([definition, schema]) =>
    ((schema["x-kubernetes-group-version-kind"] ?? []) as GroupVersionKind[]).map(
      ({ group, version, kind }): [string, string] => [`${group}/${version} ${kind}`, definition],
    ),
  ),
);

/** The definition that describes a built-in kind; `undefined` for a kind that is not served. */
export const definitionOf = (kind: Kind): string | undefined =>
  definitions.get(`${groupOf(kind)}/${kind.apiVersion.split("/").at(-1)} ${kind.kind}`);

/** A reference to a definition, as other schemas hold it. */
export const refTo = (definition: string): Schema => ({ $ref: `${refPrefix}${definition}` });

/** The definition a schema refers to; `undefined` when it is no reference. */
export const referredBy = (schema: Schema): string | undefined =>
  (schema.$ref ?? schema.allOf?.[0]?.$ref)?.slice(refPrefix.length);

/** The schema of a definition, with references to others. */
export const schemaOf = (definition: string): Schema => published[definition] ?? {};
