import { describe, expect, test } from "vitest";
import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { managerName, trackFields, type Write } from "./track.ts";

// Every expectation here is what kube-apiserver 1.36.3 recorded of the same writes.
const configMap = { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };
const now = Date.parse("2026-01-01T00:00:00Z");
const write = (manager: string, object: Fields, change: Partial<Write> = {}) =>
  trackFields({ resource: configMap, object, manager, now, ...change });
const object = (data: Fields | undefined, metadata: Fields = {}): Fields => ({
  metadata: { name: "a", ...metadata },
  ...(data ? { data } : {}),
});
const owned = (object: Fields) =>
  ((object.metadata as Fields).managedFields as Fields[] | undefined)?.map(({ manager, fieldsV1 }) => [
    manager,
    fieldsV1,
  ]);
const patched = (live: Fields, change: Fields): Fields => ({ ...live, ...change });

describe("an updater", () => {
  const created = write("c", object({ a: "1" }, { labels: { l: "1" }, finalizers: ["x"] }));

  test("owns what it creates, free maps and sets for themselves too", () => {
    expect(owned(created)).toEqual([
      [
        "c",
        {
          "f:data": { ".": {}, "f:a": {} },
          "f:metadata": { "f:finalizers": { ".": {}, 'v:"x"': {} }, "f:labels": { ".": {}, "f:l": {} } },
        },
      ],
    ]);
  });

  test("takes what it changes", () => {
    const changed = write("d", patched(created, { data: { a: "2", b: "3" } }), { live: created, now: now + 1000 });
    expect(owned(changed)?.map(([by, fields]) => [by, (fields as Fields)["f:data"]])).toEqual([
      ["c", {}],
      ["d", { "f:a": {}, "f:b": {} }],
    ]);
  });

  test("frees what it removes", () => {
    const { data: _, ...rest } = created;
    expect(owned(write("d", rest, { live: created }))).toEqual([
      ["c", { "f:metadata": { "f:finalizers": { ".": {}, 'v:"x"': {} }, "f:labels": { ".": {}, "f:l": {} } } }],
    ]);
  });

  test("leaves everything as it was when it changes nothing", () => {
    expect(write("d", created, { live: created, now: now + 1000 })).toEqual(created);
  });

  test("may clear the account, and then nothing is recorded", () => {
    for (const managedFields of [[], [{}]]) {
      const cleared = write("d", object({ a: "2" }, { managedFields }), { live: created });
      expect(owned(cleared)).toBeUndefined();
      expect(owned(write("d", object({ a: "3" }), { live: cleared }))).toBeUndefined();
    }
  });

  test("has one entry for each subresource", () => {
    const pod = { apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true, subresources: ["status"] };
    const live = write("k", { metadata: {}, spec: { containers: [{ name: "c" }] } }, { resource: pod });
    const running = write("k", patched(live, { status: { phase: "Running" } }), {
      resource: pod,
      live,
      subresource: "status",
    });
    expect((running.metadata as Fields).managedFields).toMatchObject([
      { manager: "k", fieldsV1: { "f:spec": { "f:containers": { 'k:{"name":"c"}': { ".": {}, "f:name": {} } } } } },
      { manager: "k", fieldsV1: { "f:status": { "f:phase": {} } }, subresource: "status" },
    ]);
  });
});

test("structs that are always there belong to nobody, pointers to who sets them", () => {
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", namespaced: true };
  const spec = {
    template: { spec: { containers: [{ name: "c" }], affinity: { nodeAffinity: {} } } },
    strategy: { type: "Recreate" },
  };
  expect(owned(write("c", { metadata: {}, spec }, { resource: deployment }))).toEqual([
    [
      "c",
      {
        "f:spec": {
          "f:strategy": { "f:type": {} },
          "f:template": {
            "f:spec": {
              "f:affinity": { ".": {}, "f:nodeAffinity": {} },
              "f:containers": { 'k:{"name":"c"}': { ".": {}, "f:name": {} } },
            },
          },
        },
      },
    ],
  ]);
});

test("custom resources own their spec for itself", () => {
  const schema = {
    type: "object",
    properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
  };
  const thing = { apiVersion: "example.org/v1", kind: "Thing", plural: "things", namespaced: true, custom: { schema } };
  expect(owned(write("c", { metadata: {}, spec: { size: 1 } }, { resource: thing }))).toEqual([
    ["c", { "f:spec": { ".": {}, "f:size": {} } }],
  ]);
});

test("the manager is the one named, else what the user agent begins with", () => {
  expect(managerName("kubectl-edit", "kubectl/v1")).toBe("kubectl-edit");
  expect(managerName(undefined, "kubectl/v1.36.3 (linux/amd64)")).toBe("kubectl");
  expect(managerName("", undefined)).toBe("unknown");
});
