import { describe, expect, test } from "vitest";
import { configMaps, testServer } from "../fixtures/test-server.ts";

test("what the server sets, and what it drops", async () => {
  const { ask } = testServer();
  const { status, json } = await ask("POST", configMaps, {
    metadata: {
      name: "x",
      uid: "mine",
      creationTimestamp: "2020-01-01T00:00:00Z",
      deletionTimestamp: "2020-01-01T00:00:00Z",
      labels: {},
      annotations: null,
      finalizers: [],
    },
    data: { a: null },
  });
  const { uid, resourceVersion, managedFields, ...metadata } = json.metadata;
  expect([status, json.kind, json.apiVersion, json.data]).toEqual([201, "ConfigMap", "v1", { a: "" }]);
  expect(metadata).toEqual({ name: "x", namespace: "default", creationTimestamp: "2026-01-01T00:00:00Z" });
  expect([uid === "mine", Number(resourceVersion) > 0]).toEqual([false, true]);
});

test("a generated name has five letters more and never exceeds 63", async () => {
  const { ask } = testServer();
  const make = async (generateName: string) =>
    (await ask("POST", configMaps, { metadata: { generateName } })).json.metadata.name;
  expect(await make("short-")).toMatch(/^short-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  expect((await make(`${"x".repeat(80)}-`)).length).toBe(63);
});

test("a dry run goes through all of it and leaves nothing", async () => {
  const { ask } = testServer();
  const { status, json } = await ask("POST", `${configMaps}?dryRun=All`, { metadata: { name: "x" } });
  expect([status, json.metadata.resourceVersion, typeof json.metadata.uid]).toEqual([201, undefined, "string"]);
  expect((await ask("GET", `${configMaps}/x`)).status).toBe(404);
  expect((await ask("POST", `${configMaps}?dryRun=Some`, { metadata: { name: "x" } })).json.message).toBe(
    'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
  );
});

test("a name is taken once", async () => {
  const { ask } = testServer();
  await ask("POST", configMaps, { metadata: { name: "x" } });
  expect((await ask("POST", configMaps, { metadata: { name: "x" } })).json).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'configmaps "x" already exists',
    reason: "AlreadyExists",
    details: { name: "x", kind: "configmaps" },
    code: 409,
  });
});

describe("the wrong object for the place", () => {
  test.each([
    [{ apiVersion: "apps/v1", kind: "ConfigMap", metadata: { name: "x" } }, 400],
    [{ apiVersion: "v1", kind: "Pod", metadata: { name: "x" } }, 400],
    [{ metadata: { name: "x", namespace: "other" } }, 400],
    [{ metadata: { name: "x", resourceVersion: "5" } }, 500],
    [{ metadata: { name: "x", resourceVersion: "0" } }, 201],
    ["[]", 400],
    ["{", 400],
    ["", 400],
  ])("%j is %i", async (body, status) => {
    expect((await testServer().ask("POST", configMaps, body)).status).toBe(status);
  });

  test("a body that is neither JSON nor YAML", async () => {
    const { ask } = testServer();
    expect((await ask("POST", configMaps, "{}", { "content-type": "text/plain" })).status).toBe(415);
    const yaml = await ask("POST", configMaps, "metadata: {name: x}", { "content-type": "application/yaml" });
    expect([yaml.status, yaml.json.metadata.name]).toEqual([201, "x"]);
  });
});

// Causes as kube-apiserver 1.36.3 names them.
describe("metadata", () => {
  const owner = (more: object) => ({ apiVersion: "v1", kind: "Pod", name: "p", uid: "u", ...more });
  test.each<[object, string[]]>([
    [{}, ["metadata.name: Required value: name or generateName is required"]],
    [
      { name: "x".repeat(254) },
      [`metadata.name: Invalid value: "${"x".repeat(254)}": must be no more than 253 characters`],
    ],
    [
      { name: "x", finalizers: ["foo"] },
      [
        'metadata.finalizers[0]: Invalid value: "foo": name is neither a standard finalizer name nor is it ' +
          "fully qualified",
      ],
    ],
    [
      { name: "x", finalizers: ["orphan", "foregroundDeletion"] },
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: ' +
          "finalizer orphan and foregroundDeletion cannot be both set",
      ],
    ],
    [
      { name: "x", annotations: { a: "x".repeat(256 * 1024) } },
      ["metadata.annotations: Too long: may not be more than 262144 bytes"],
    ],
    [
      { name: "x", labels: { a: "x".repeat(64) } },
      [`metadata.labels: Invalid value: "${"x".repeat(64)}": must be no more than 63 bytes`],
    ],
    [
      { name: "x", ownerReferences: [{}] },
      [
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    ],
    [
      { name: "x", ownerReferences: [owner({ kind: "Event" })] },
      [
        'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"p","uid":"u"}: ' +
          "/v1, Kind=Event is disallowed from being an owner",
      ],
    ],
    [
      { name: "x", ownerReferences: [owner({ controller: true }), owner({ name: "q", uid: "v", controller: true })] },
      [
        "metadata.ownerReferences: Invalid value: " +
          '[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"q","uid":"v","controller":true}]: Only one reference can ' +
          'have Controller set to true. Found "true" in references for Pod/p and Pod/q',
      ],
    ],
  ])("%#", async (metadata, wanted) => {
    const { status, json } = await testServer().ask("POST", configMaps, { metadata });
    const found = json.details.causes.map(({ field, message }: Record<string, string>) => `${field}: ${message}`);
    expect([status, json.reason, found]).toEqual([422, "Invalid", wanted]);
  });

  test("a list of finalizers may repeat itself, and names of 253 characters with dots are names", async () => {
    const { ask } = testServer();
    const name = `a.${"x".repeat(251)}`;
    const { status, json } = await ask("POST", configMaps, { metadata: { name, finalizers: ["a.dev/b", "a.dev/b"] } });
    expect([status, json.metadata.finalizers]).toEqual([201, ["a.dev/b", "a.dev/b"]]);
  });

  test("an owner that is named twice is kept once, with a warning", async () => {
    const { ask } = testServer();
    const owners = [owner({}), owner({})];
    const { headers, json } = await ask("POST", configMaps, { metadata: { name: "x", ownerReferences: owners } });
    expect(json.metadata.ownerReferences).toEqual([owner({})]);
    expect(headers.warning).toContain("duplicate UID(s) observed: u");
  });
});

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
