import { describe, expect, test } from "vitest";
import type { Schema } from "../schema/schema.ts";
import { defaultCustom } from "./default.ts";
import { pruneCustom } from "./prune-unknown.ts";

// Every expectation here is what kube-apiserver 1.36.3 made of the same schema and object.
const schema: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer" },
        mode: { type: "string", default: "a" },
        name: { type: "string" },
        opt: { type: "string", nullable: true, default: "x" },
        free: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { known: { type: "object" } },
        },
        labels: { type: "object", additionalProperties: { type: "string" } },
        sub: { type: "object", properties: { x: { type: "string", default: "y" }, z: { type: "integer" } } },
        made: { type: "object", default: {}, properties: { x: { type: "string", default: "y" } } },
        parts: {
          type: "array",
          items: { type: "object", properties: { name: { type: "string" }, c: { type: "integer", default: 3 } } },
        },
        pod: { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: { type: "object" } } },
      },
    },
  },
};
const header = { apiVersion: "example.org/v1", kind: "Thing", metadata: { name: "x", labels: { a: "b" } } };

describe("pruning", () => {
  const pruned = (spec: unknown, more = {}) => pruneCustom(schema, { ...header, spec, ...more });

  test("drops what is not specified and says so", () => {
    expect(pruned({ size: 1, bogus: 1, sub: { q: 1 }, parts: [{ name: "a", zz: 1 }] }, { extra: 1 })).toEqual({
      object: { ...header, spec: { size: 1, sub: {}, parts: [{ name: "a" }] } },
      unknown: ["extra", "spec.bogus", "spec.parts[0].zz", "spec.sub.q"],
    });
  });
  test("keeps what may be free, but not below what is specified there", () => {
    const spec = { free: { q: { r: 1 }, known: { s: 1 } }, labels: { a: "b" } };
    expect(pruned(spec).unknown).toEqual(["spec.free.known.s"]);
    expect(pruned(spec).object.spec).toEqual({ free: { q: { r: 1 }, known: {} }, labels: { a: "b" } });
  });
  test("keeps the header of an embedded resource", () => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: {}, foo: 1 };
    expect(pruned({ pod }).unknown).toEqual(["spec.pod.foo"]);
  });
});

describe("defaults", () => {
  const filled = (spec: unknown) => defaultCustom(schema, { ...header, spec }).spec;

  test("come where nothing is, also in what was defaulted", () =>
    expect(filled({ size: 1 })).toEqual({ size: 1, mode: "a", opt: "x", made: { x: "y" } }));
  test("come in lists and in objects that are there", () => {
    expect(filled({ sub: {}, parts: [{ name: "a" }] })).toMatchObject({
      sub: { x: "y" },
      parts: [{ name: "a", c: 3 }],
    });
    expect(filled({})).not.toHaveProperty("sub");
  });
  test("take the place of a null that may not be", () =>
    expect(filled({ mode: null, name: null, opt: null })).toEqual({ mode: "a", opt: null, made: { x: "y" } }));
  test("are copies", () => {
    const first = filled({}) as { made: Record<string, string> };
    first.made.changed = "yes";
    expect(filled({})).toMatchObject({ made: { x: "y" } });
    expect(filled({})).not.toHaveProperty("made.changed");
  });
});
