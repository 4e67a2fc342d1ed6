import { describe, expect, test } from "vitest";
import { builtin } from "../kinds/builtin-kinds.ts";
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
  test("every kind that is served", () => {
    const parts = ["v1 Binding", "policy/v1 Eviction", "autoscaling/v1 Scale", "authentication.k8s.io/v1 TokenRequest"];
    const kinds = [...builtin, ...parts.map((part) => kind(...(part.split(" ") as [string, string])))];
    expect(kinds.filter((one) => definitionOf(one) === undefined)).toEqual([]);
  });
  test("unknown", () => expect(definitionOf(kind("example.org/v1", "Thing"))).toBeUndefined());
});

test("a custom resource has metadata with any schema", () => {
  const schema = { type: "object", properties: { spec: { type: "object" }, metadata: { type: "object" } } };
  const type = typeOf({ ...kind("example.org/v1", "Thing"), custom: { schema } });
  const metadata = memberType(type, "metadata");
  expect(metadata && memberType(resolve(metadata), "finalizers")).toMatchObject({ "x-kubernetes-list-type": "set" });
});
