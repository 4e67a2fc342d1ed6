import { describe, expect, test } from "vitest";
import { configMaps, testServer } from "../testing/test-server.ts";

// Causes as kube-apiserver 1.36.3 names them.
describe("types", () => {
  test.each<[object, string]>([
    [
      { metadata: { name: "x", labels: { a: 1 } } },
      "number into Go struct field ObjectMeta.metadata.labels of type string",
    ],
    [
      { metadata: { name: "x", labels: "a" } },
      "string into Go struct field ObjectMeta.metadata.labels of type map[string]string",
    ],
    [{ metadata: "x" }, "string into Go struct field ConfigMap.metadata of type v1.ObjectMeta"],
    [{ metadata: { name: "x" }, data: { a: true } }, "bool into Go struct field ConfigMap.data of type string"],
    [
      { metadata: { name: "x", finalizers: "a" } },
      "string into Go struct field ObjectMeta.metadata.finalizers of type []string",
    ],
  ])("%#", async (body, what) => {
    const { status, json } = await testServer().ask("POST", configMaps, body);
    const message = `ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal ${what}`;
    expect([status, json.message]).toEqual([400, message]);
  });

  test("unknown fields go, with a warning, without, or not at all", async () => {
    const { ask } = testServer();
    const object = { metadata: { generateName: "x-", bar: 2 }, foo: 1 };
    const post = (validation: string) => ask("POST", `${configMaps}?fieldValidation=${validation}`, object);
    const warned = await post("Warn");
    expect([warned.json.foo, warned.headers.warning]).toEqual([
      undefined,
      '299 - "unknown field \\"metadata.bar\\"", 299 - "unknown field \\"foo\\""',
    ]);
    expect((await post("Ignore")).headers.warning).toBeUndefined();
    expect((await post("Strict")).json.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ' +
        'unknown field "metadata.bar", unknown field "foo"',
    );
    expect((await post("Foo")).status).toBe(422);
  });

  test.each([
    ["1Gx", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["1iG", "unable to parse quantity's suffix"],
  ])("%s is no quantity", async (storage, message) => {
    const { ask } = testServer();
    const post = (storage: string) =>
      ask("POST", "/api/v1/namespaces/default/persistentvolumeclaims", {
        metadata: { generateName: "x-" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
      });
    const { status, json } = await post(storage);
    const what = 'PersistentVolumeClaim in version "v1" cannot be handled as a PersistentVolumeClaim';
    expect([status, json.message]).toEqual([400, `${what}: ${message}`]);
    expect((await post("1.5Gi")).status).toBe(201);
  });

  test("times of leases have six digits of a second, no more and no less", async () => {
    const { ask } = testServer();
    const lease = (renewTime: string) => ({ metadata: { generateName: "x-" }, spec: { renewTime } });
    const post = (time: string) => ask("POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", lease(time));
    expect((await post("2026-01-01T02:00:00.123456+02:00")).json.spec.renewTime).toBe("2026-01-01T00:00:00.123456Z");
    expect((await post("2026-01-01T00:00:00.123Z")).json.message).toBe(
      'Lease in version "v1" cannot be handled as a Lease: parsing time "2026-01-01T00:00:00.123Z" as ' +
        '"2006-01-02T15:04:05.000000Z07:00": cannot parse ".123Z" as ".000000"',
    );
  });
});
