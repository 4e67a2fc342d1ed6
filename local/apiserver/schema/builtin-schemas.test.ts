import { describe, expect, test } from "vitest";
import { definitionOf } from "./builtin-schemas.ts";
import { memberType, resolve, typeOf } from "./type.ts";

const kind = (apiVersion: string, name: string) => ({ apiVersion, kind: name, plural: "", namespaced: true });

describe("kinds find their definition", () => {
  test("core", () => expect(definitionOf(kind("v1", "Pod"))).toBe("io.k8s.api.core.v1.Pod"));
  test("a group", () => expect(definitionOf(kind("apps/v1", "StatefulSet"))).toBe("io.k8s.api.apps.v1.StatefulSet"));
  test("one name in two groups", () => {
    expect(definitionOf(kind("v1", "Event"))).toBe("io.k8s.api.core.v1.Event");
    expect(definitionOf(kind("events.k8s.io/v1", "Event"))).toBe("io.k8s.api.events.v1.Event");
  });
  test("unknown", () => expect(definitionOf(kind("example.org/v1", "Thing"))).toBeUndefined());
});

test("a custom resource has metadata with any schema", () => {
  const schema = { type: "object", properties: { spec: { type: "object" }, metadata: { type: "object" } } };
  const type = typeOf({ ...kind("example.org/v1", "Thing"), custom: { schema } });
  const metadata = type && memberType(type, "metadata");
  expect(metadata && memberType(resolve(metadata), "finalizers")).toMatchObject({ "x-kubernetes-list-type": "set" });
});
