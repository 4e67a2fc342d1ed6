import { createHash } from "node:crypto";
import { groupOf, pathOf } from "../../../shared/kubernetes/kind.ts";
import type { Resource } from "../resource.ts";
import { definitionOf, referredBy, refTo, schemaOf } from "../schema/builtin-schemas.ts";
import type { Schema } from "../schema/schema.ts";
import { withHeader } from "../schema/type.ts";
import { version } from "./discovery.ts";
import { groupsOf } from "./groups.ts";

const root = "/openapi/v3";

/**
 * Returns `/openapi/v3` (the index) and `/openapi/v3/api/v1`, `/openapi/v3/apis/<group>/<version>`: what kubectl needs
 * to validate, to explain and to compute patches. `undefined` for any other path.
 */
export function openApi(resources: readonly Resource[], path: string): object | undefined {
  if (path !== root && !path.startsWith(`${root}/`)) return undefined;
  const versions = groupsOf(resources).flatMap((group) => group.versions);
  const wanted = path.slice(root.length + 1);
  if (wanted === "") {
    const entries = versions.map(({ apiVersion, resources: own }) => [
      pathKey(apiVersion),
      indexEntry(apiVersion, own),
    ]);
    return { paths: Object.fromEntries(entries) };
  }
  const found = versions.find(({ apiVersion }) => pathKey(apiVersion) === wanted);
  return found && document(found.resources);
}

const pathKey = (apiVersion: string) => (apiVersion.includes("/") ? `apis/${apiVersion}` : `api/${apiVersion}`);

/** By the hash, clients that keep documents know when to read one again. */
function indexEntry(apiVersion: string, resources: readonly Resource[]) {
  const hash = createHash("sha256").update(JSON.stringify(resources)).digest("hex").toUpperCase();
  return { serverRelativeURL: `${root}/${pathKey(apiVersion)}?hash=${hash}` };
}

function document(resources: readonly Resource[]) {
  const schemas = new Map<string, Schema>();
  for (const resource of resources) {
    const { name, schema } = rootSchema(resource);
    schemas.set(name, { ...schema, "x-kubernetes-group-version-kind": [groupVersionKind(resource)] });
    addReferred(schemas, schema);
  }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: version.gitVersion },
    paths: Object.fromEntries(resources.flatMap(pathsOf)),
    components: { schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))) },
  };
}

function rootSchema(resource: Resource): { name: string; schema: Schema } {
  const definition = resource.custom ? undefined : definitionOf(resource);
  if (definition !== undefined) return { name: definition, schema: schemaOf(definition) };
  const group = groupOf(resource).split(".").reverse().join(".");
  const name = `${group}.${resource.apiVersion.split("/").at(-1)}.${resource.kind}`;
  return { name, schema: withHeader(resource.custom?.schema ?? { type: "object" }) };
}

function addReferred(schemas: Map<string, Schema>, schema: Schema): void {
  const definition = referredBy(schema);
  if (definition !== undefined && !schemas.has(definition)) {
    const referred = schemaOf(definition);
    schemas.set(definition, referred);
    addReferred(schemas, referred);
  }
  for (const part of Object.values(schema.properties ?? {})) addReferred(schemas, part);
  if (schema.items) addReferred(schemas, schema.items);
  if (typeof schema.additionalProperties === "object") addReferred(schemas, schema.additionalProperties);
}

const groupVersionKind = (resource: Resource) => ({
  group: groupOf(resource),
  version: resource.apiVersion.split("/").at(-1),
  kind: resource.kind,
});

const query = (name: string) => ({ name, in: "query", schema: { type: "string", uniqueItems: true } });
const parameters = ["dryRun", "fieldManager", "fieldValidation"].map(query);
const mergeTypes = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];
const strategicType = "application/strategic-merge-patch+json";

/** kubectl finds the kind behind a path here, and that the server checks fields itself. */
function pathsOf(resource: Resource): [string, object][] {
  const { name } = rootSchema(resource);
  const schema = refTo(name);
  const body = { required: true, content: { "*/*": { schema } } };
  const patchTypes = resource.custom ? mergeTypes : [...mergeTypes, strategicType];
  const patch = { required: true, content: Object.fromEntries(patchTypes.map((type) => [type, { schema: {} }])) };
  const operation = (action: string, more: object = {}) => ({
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": groupVersionKind(resource),
    responses: { 200: { description: "OK", content: { "application/json": { schema } } } },
    ...more,
  });
  const collection = pathOf(resource, resource.namespaced ? "{namespace}" : undefined).replace(
    "%7Bnamespace%7D",
    "{namespace}",
  );
  return [
    [collection, { get: operation("list"), post: operation("post", { parameters, requestBody: body }) }],
    [
      `${collection}/{name}`,
      {
        get: operation("get"),
        put: operation("put", { parameters, requestBody: body }),
        patch: operation("patch", { parameters: [...parameters, query("force")], requestBody: patch }),
        delete: operation("delete"),
      },
    ],
  ];
}
