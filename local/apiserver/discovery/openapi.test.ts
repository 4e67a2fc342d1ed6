import { expect, test } from "vitest";
import type { Resource } from "../resource.ts";
import type { Schema } from "../schema/schema.ts";
import { openApi } from "./openapi.ts";

const pod: Resource = { apiVersion: "v1", kind: "Pod", plural: "pods", singular: "pod", namespaced: true };
const schema = { type: "object", description: "A thing.", properties: { spec: { type: "object" } } };
const thing: Resource = {
  apiVersion: "example.org/v1",
  kind: "Thing",
  plural: "things",
  singular: "thing",
  namespaced: false,
  custom: { schema },
};
interface Document {
  paths: Record<string, Record<string, { parameters?: { name: string }[]; requestBody?: { content: object } }>>;
  components: { schemas: Record<string, Schema> };
}
const document = (path: string) => openApi([pod, thing], path) as Document;
const references = (value: unknown): string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, member]) => (key === "$ref" ? [String(member)] : references(member)));

test("the index names every group version, under a URL that changes when its resources do", () => {
  const { paths } = openApi([pod, thing], "/openapi/v3") as unknown as {
    paths: Record<string, { serverRelativeURL: string }>;
  };
  expect(Object.keys(paths)).toEqual(["api/v1", "apis/example.org/v1"]);
  expect(paths["api/v1"]?.serverRelativeURL).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{64}$/);
  const changed = { ...thing, custom: { schema: { type: "object" } } };
  const after = openApi([pod, changed], "/openapi/v3") as typeof paths & { paths: typeof paths };
  expect(after.paths["apis/example.org/v1"]).not.toEqual(paths["apis/example.org/v1"]);
  expect(after.paths["api/v1"]).toEqual(paths["api/v1"]);
});

test("a built-in kind comes with all that it refers to", () => {
  const { components } = document("/openapi/v3/api/v1");
  expect(components.schemas["io.k8s.api.core.v1.Pod"]).toMatchObject({
    "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Pod" }],
  });
  const missing = references(components).filter((ref) => !components.schemas[ref.split("/").at(-1) ?? ""]);
  expect(missing).toEqual([]);
  expect(Object.keys(components.schemas).length).toBeGreaterThan(100);
});

test("kubectl finds the kind of a path, and that patches know fieldValidation", () => {
  const patch = document("/openapi/v3/api/v1").paths["/api/v1/namespaces/{namespace}/pods/{name}"]?.patch;
  expect(patch).toMatchObject({ "x-kubernetes-group-version-kind": { group: "", version: "v1", kind: "Pod" } });
  expect(patch?.parameters?.map(({ name }) => name)).toContain("fieldValidation");
});

test("a custom resource has its own schema, with metadata, and no strategic merge patch", () => {
  const { components, paths } = document("/openapi/v3/apis/example.org/v1");
  expect(components.schemas["org.example.v1.Thing"]).toMatchObject({
    description: "A thing.",
    properties: {
      spec: { type: "object" },
      metadata: { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
    },
  });
  expect(Object.keys(paths["/apis/example.org/v1/things/{name}"]?.patch?.requestBody?.content ?? {})).toEqual([
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/apply-patch+yaml",
  ]);
});

test("other paths are none of its business", () => {
  expect(openApi([pod], "/openapi/v2")).toBeUndefined();
  expect(openApi([pod], "/openapi/v3/apis/example.org/v1")).toBeUndefined();
});
