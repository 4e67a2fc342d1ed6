import { describe, expect, test } from "vitest";
import { configMaps, testServer } from "../testing/test-server.ts";

describe("types", () => {
  test.each<[object, string]>([
    [{ metadata: { name: "x", labels: { a: 1 } } }, "metadata.labels.a: 1 is no string"],
    [{ metadata: { name: "x", labels: "a" } }, 'metadata.labels: "a" is no object'],
    [{ metadata: "x" }, 'metadata: "x" is no object'],
    [{ metadata: { name: "x" }, data: { a: true } }, "data.a: true is no string"],
    [{ kind: "Secret" }, "it is of the kind Secret, not ConfigMap"],
    [{ apiVersion: "v2" }, "it is of the apiVersion v2, not v1"],
    [{ metadata: { name: "x", finalizers: ["a", 2] } }, "metadata.finalizers[1]: 2 is no string"],
  ])("%j is refused: %s", async (body, what) => {
    const { status, json } = await testServer().ask("POST", configMaps, body);
    expect([status, json.message]).toEqual([400, `This cannot be handled as a ConfigMap: ${what}`]);
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
      "This cannot be handled as a ConfigMap: strict decoding error: " +
        'unknown field "metadata.bar", unknown field "foo"',
    );
    expect((await post("Foo")).status).toBe(422);
  });

  test.each(["1Gx", "1iG"])("%s is no quantity", async (storage) => {
    const { ask } = testServer();
    const post = (storage: string) =>
      ask("POST", "/api/v1/namespaces/default/persistentvolumeclaims", {
        metadata: { generateName: "x-" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
      });
    const { status, json } = await post(storage);
    expect([status, json.message]).toEqual([
      400,
      `This cannot be handled as a PersistentVolumeClaim: spec.resources.requests.storage: "${storage}" is no Quantity`,
    ]);
    expect((await post("1.5Gi")).status).toBe(201);
  });

  test("times of leases have six digits of a second, no more and no less", async () => {
    const { ask } = testServer();
    const lease = (renewTime: string) => ({ metadata: { generateName: "x-" }, spec: { renewTime } });
    const post = (time: string) => ask("POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", lease(time));
    expect((await post("2026-01-01T02:00:00.123456+02:00")).json.spec.renewTime).toBe("2026-01-01T00:00:00.123456Z");
    expect((await post("2026-01-01T00:00:00.123Z")).json.message).toBe(
      'This cannot be handled as a Lease: spec.renewTime: "2026-01-01T00:00:00.123Z" is no MicroTime',
    );
  });
});
