import { describe, expect, test } from "vitest";
import { definitionOf, schemaOf } from "./builtin-schemas.ts";
import { memberType, resolve, typeOf } from "./type.ts";

const kind = (apiVersion: string, name: string) => ({ apiVersion, kind: name, plural: "", namespaced: true });

describe("kinds find their definition", () => {
  test("core", () => expect(definitionOf(kind("v1", "Pod"))).toBe("io.k8s.v1.Pod"));
  test("a group", () => expect(definitionOf(kind("apps/v1", "StatefulSet"))).toBe("io.k8s.v1.StatefulSet"));
  test("one name in two groups", () => {
    expect(definitionOf(kind("v1", "Event"))).toBe("io.k8s.core.v1.Event");
    expect(definitionOf(kind("events.k8s.io/v1", "Event"))).toBe("io.k8s.events.v1.Event");
  });
  test("unknown", () => expect(definitionOf(kind("example.org/v1", "Thing"))).toBeUndefined());
});

describe("schemas say what /openapi/v3 of kube-apiserver 1.36.3 says", () => {
  const type = (definition: string, field: string) => memberType(schemaOf(definition), field);
  test("fields", () => {
    expect(type("io.k8s.v1.PersistentVolumeClaimSpec", "accessModes")).toEqual({
      type: "array",
      items: { type: "string" },
    });
    expect(type("io.k8s.v1.StatefulSetSpec", "replicas")).toEqual({ type: "integer", format: "int32" });
    expect(type("io.k8s.v1.ServicePort", "targetPort")).toMatchObject({ format: "int-or-string" });
    expect(type("io.k8s.v1.ObjectMeta", "creationTimestamp")).toEqual({ type: "string", format: "date-time" });
  });
  test("merging", () => {
    expect(type("io.k8s.v1.ObjectMeta", "finalizers")).toEqual({
      type: "array",
      items: { type: "string" },
      "x-kubernetes-list-type": "set",
      "x-kubernetes-patch-strategy": "merge",
    });
    expect(type("io.k8s.v1.Container", "ports")).toMatchObject({
      "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
      "x-kubernetes-patch-merge-key": "containerPort",
    });
    expect(schemaOf("io.k8s.v1.LabelSelector")["x-kubernetes-map-type"]).toBe("atomic");
    const claimRef = type("io.k8s.v1.PersistentVolumeSpec", "claimRef");
    expect(claimRef && resolve(claimRef)["x-kubernetes-map-type"]).toBe("granular");
  });
});

test("a custom resource has metadata with any schema", () => {
  const schema = { type: "object", properties: { spec: { type: "object" }, metadata: { type: "object" } } };
  const type = typeOf({ ...kind("example.org/v1", "Thing"), custom: { schema } });
  const metadata = type && memberType(type, "metadata");
  expect(metadata && memberType(resolve(metadata), "finalizers")).toMatchObject({ "x-kubernetes-list-type": "set" });
});
