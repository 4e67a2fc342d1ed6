import { describe, expect, test } from "vitest";
import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { type Application, serverSideApply } from "./apply.ts";
import { trackFields } from "./track.ts";

// Every expectation here is what kube-apiserver 1.36.3 answered in the same case.
const configMap = { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };
const claim = {
  ...configMap,
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  subresources: ["status"],
};
const now = Date.parse("2026-01-01T00:00:00Z");

type Change = Partial<Application> & { live?: Fields | undefined };
const apply = (manager: string, applied: Fields, change: Change = {}) =>
  serverSideApply({ resource: configMap, applied, manager, force: false, now, ...change }).object;
const write = (manager: string, object: Fields, change: Change = {}) =>
  trackFields({ resource: configMap, object, manager, now, ...change });
const named = (fields: Fields): Fields => {
  const metadata = isFields(fields.metadata) ? fields.metadata : {};
  return { apiVersion: "v1", kind: "ConfigMap", ...fields, metadata: { name: "a", ...metadata } };
};
const metadataOf = (object: Fields) => object.metadata as Fields & { managedFields?: Fields[]; finalizers?: string[] };
const owners = (object: Fields) =>
  (metadataOf(object).managedFields ?? []).map(({ manager, operation, time, fieldsV1, subresource }) => ({
    by: `${manager} ${operation}${subresource ? ` ${subresource}` : ""}`,
    timed: time !== undefined,
    fieldsV1,
  }));
const conflictOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    const { status, reason, message, details } = error as Record<string, unknown>;
    return { status, reason, message, causes: (details as Fields | undefined)?.causes };
  }
  return undefined;
};

describe("conflicts", () => {
  test("an object without any managedFields belongs to before-first-apply", () => {
    const live = named({ data: { q: "1", z: "2" } });
    expect(conflictOf(() => apply("m", named({ data: { q: "2" } }), { live }))?.message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.q',
    );
    expect(owners(apply("m", named({ data: { q: "1" } }), { live }))).toEqual([
      { by: "m Apply", timed: false, fieldsV1: { "f:data": { "f:q": {} } } },
      { by: "before-first-apply Update", timed: true, fieldsV1: { "f:data": { ".": {}, "f:q": {}, "f:z": {} } } },
    ]);
  });
});

describe("lists", () => {
  const stored = (finalizers: string[]) => write("u", named({ metadata: { finalizers } }));
  const cases: [string, string[], string[], string[]][] = [
    ["a new element comes last", ["a", "b", "c"], ["d"], ["a", "b", "c", "d"]],
    ["shared ones take the applied order", ["a", "b", "c", "d"], ["d", "b"], ["a", "c", "d", "b"]],
    ["new ones stand where they are applied", ["a", "c", "d", "b"], ["c", "z", "b"], ["a", "c", "d", "z", "b"]],
  ];
  for (const [name, live, applied, expected] of cases) {
    test(`a set: ${name}`, () =>
      expect(
        metadataOf(apply("m", named({ metadata: { finalizers: applied } }), { live: stored(live) })).finalizers,
      ).toEqual(expected));
  }

  test("ports are a map by number and protocol, which is TCP when absent", () => {
    const pod = (ports: unknown[]) => ({ metadata: { name: "p" }, spec: { containers: [{ name: "c", ports }] } });
    const resource = { ...configMap, kind: "Pod", plural: "pods" };
    const live = apply("m1", pod([{ containerPort: 80 }]), { resource });
    expect(owners(live)[0]?.fieldsV1).toEqual({
      "f:spec": {
        "f:containers": {
          'k:{"name":"c"}': {
            ".": {},
            "f:name": {},
            "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } },
          },
        },
      },
    });
    const merged = apply("m2", pod([{ containerPort: 80, protocol: "TCP", name: "w" }]), { resource, live });
    expect(merged.spec).toMatchObject({ containers: [{ ports: [{ containerPort: 80, protocol: "TCP", name: "w" }] }] });
  });
});

test("status has owners of its own", () => {
  const live = write(
    "c",
    { ...named({ spec: { accessModes: ["ReadWriteOnce"] }, status: { phase: "Lost" } }) },
    { resource: claim },
  );
  expect(owners(live)).toEqual([{ by: "c Update", timed: true, fieldsV1: { "f:spec": { "f:accessModes": {} } } }]);
  const applied = named({ spec: { accessModes: [] }, status: { conditions: [{ type: "Unused", status: "True" }] } });
  const both = apply("s", applied, { resource: claim, live, subresource: "status" });
  expect(both.spec).toEqual({ accessModes: ["ReadWriteOnce"] });
  expect(owners(both)[0]).toEqual({
    by: "s Apply status",
    timed: true,
    fieldsV1: { "f:status": { "f:conditions": { 'k:{"type":"Unused"}': { ".": {}, "f:status": {}, "f:type": {} } } } },
  });
});

describe("refused", () => {
  const cases: [string, Fields, string][] = [
    ["an unknown field", { foo: 1 }, ".foo: field not declared in schema"],
    ["another type", { data: { a: 1 } }, ".data.a: expected string, got 1"],
    [
      "an element twice",
      { metadata: { name: "a", finalizers: ["x", "x"] } },
      '.metadata.finalizers: duplicate entries for key [="x"]',
    ],
  ];
  for (const [name, fields, error] of cases) {
    test(name, () =>
      expect(conflictOf(() => apply("m", named(fields)))).toMatchObject({
        status: 500,
        message: `failed to create typed patch object (/a; /v1, Kind=ConfigMap): ${error}`,
      }),
    );
  }
});
