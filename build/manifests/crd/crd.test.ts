import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import { customResourceDefinition } from "./definition.ts";
import { structuralSchema } from "./openapi.ts";

describe("a zod schema as a structural schema", () => {
  test.each<[string, z.ZodType, object]>([
    ["a text", z.string().min(1).max(9), { type: "string", minLength: 1, maxLength: 9 }],
    ["a whole number has no bounds of JavaScript's", z.int(), { type: "integer", format: "int64" }],
    ["bounds of its own stay", z.int().min(0).max(5), { type: "integer", format: "int64", minimum: 0, maximum: 5 }],
    ["a choice", z.enum(["a", "b"]), { type: "string", enum: ["a", "b"] }],
    ["a constant", z.literal("a"), { type: "string", enum: ["a"] }],
    ["choices are one", z.union([z.enum(["a"]), z.literal("")]), { type: "string", enum: ["a", ""] }],
    ["a number or a text", z.union([z.int(), z.string()]), { "x-kubernetes-int-or-string": true }],
    ["anything", z.unknown(), { "x-kubernetes-preserve-unknown-fields": true }],
    ["any object", z.looseObject({}), { type: "object", "x-kubernetes-preserve-unknown-fields": true }],
    [
      "a map",
      z.record(z.string(), z.int()),
      { type: "object", additionalProperties: { type: "integer", format: "int64" } },
    ],
    ["a list", z.array(z.boolean()).min(1), { type: "array", minItems: 1, items: { type: "boolean" } }],
    ["a time", z.iso.datetime({ offset: true }), { type: "string", format: "date-time" }],
    ["null where it is wanted", z.string().nullable(), { type: "string", nullable: true }],
    [
      "an object with optional fields, defaults and descriptions",
      z.object({ a: z.string().describe("What it is."), b: z.int().optional(), c: z.string().default("x") }),
      {
        type: "object",
        required: ["a"],
        properties: {
          a: { type: "string", description: "What it is." },
          b: { type: "integer", format: "int64" },
          c: { type: "string", default: "x" },
        },
      },
    ],
    [
      "a strict object says nothing of other fields, because structural schemas prune them",
      z.strictObject({ a: z.string().optional() }),
      { type: "object", properties: { a: { type: "string" } } },
    ],
    [
      "an object that keeps more than it names",
      z.looseObject({ a: z.string().optional() }),
      { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: { type: "string" } } },
    ],
    [
      "CEL rules and list types stand where they were put",
      z.object({
        list: z
          .array(z.object({ name: z.string() }))
          .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
          .optional(),
        fixed: z
          .string()
          .meta({ "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "it is immutable" }] })
          .optional(),
      }),
      {
        type: "object",
        properties: {
          list: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            items: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
          },
          fixed: {
            type: "string",
            "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "it is immutable" }],
          },
        },
      },
    ],
  ])("%s", (_what, schema, expected) => expect(structuralSchema(schema)).toEqual(expected));

  test("a schema that is used twice is written out twice", () => {
    const shared = z.object({ a: z.string() });
    const once = { type: "object", required: ["a"], properties: { a: { type: "string" } } };
    expect(structuralSchema(z.object({ one: shared, other: shared })).properties).toEqual({ one: once, other: once });
  });

  test.each<[string, z.ZodType, RegExp]>([
    ["a union of objects", z.object({ a: z.union([z.object({}), z.string()]) }), /^\.a is a union/],
    ["a pattern that looks ahead", z.object({ a: z.string().regex(/^(?!b)/) }), /^\.a: the pattern .* RE2/],
    ["a pipe into a date", z.date(), /Date/],
  ])("%s is refused", (_what, schema, message) => expect(() => structuralSchema(schema)).toThrow(message));
});

test("a definition has names, versions, columns and subresources", () => {
  const kind: Kind = { apiVersion: "example.org/v1", kind: "Thing", plural: "things", namespaced: false };
  const columns = [{ name: "Step", type: "string", jsonPath: ".status.step" }] as const;
  const schema = z.object({ spec: z.object({ size: z.int() }) });
  const definition = customResourceDefinition({
    kind,
    doc: "A thing.",
    names: { shortNames: ["th"] },
    versions: [
      { name: "v1", schema, columns, subresources: { status: {} } },
      { name: "v1beta1", schema, served: false, deprecated: true },
    ],
  });
  expect(definition).toEqual({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: "things.example.org",
      annotations: {
        "kustomize.toolkit.fluxcd.io/prune": "disabled",
        "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
      },
    },
    spec: {
      group: "example.org",
      scope: "Cluster",
      names: { kind: "Thing", listKind: "ThingList", plural: "things", singular: "thing", shortNames: ["th"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: "A thing.",
              required: ["spec"],
              properties: {
                apiVersion: { type: "string" },
                kind: { type: "string" },
                metadata: { type: "object" },
                spec: {
                  type: "object",
                  required: ["size"],
                  properties: { size: { type: "integer", format: "int64" } },
                },
              },
            },
          },
        },
        expect.objectContaining({ name: "v1beta1", served: false, storage: false, deprecated: true }),
      ],
    },
  });
});
