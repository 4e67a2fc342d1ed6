import { describe, expect, test } from "vitest";
import { configMaps, statefulSet, statefulSets, testServer } from "../fixtures/test-server.ts";

const put = (metadata: object, more: object = {}) => ({ metadata: { name: "x", ...metadata }, ...more });

async function withConfigMap() {
  const api = testServer();
  const { json } = await api.ask("POST", configMaps, put({ labels: { a: "b" } }, { data: { k: "1" } }));
  return { ...api, made: json.metadata };
}

describe("versions", () => {
  test("the right one, or none at all", async () => {
    const { ask, made } = await withConfigMap();
    const { resourceVersion } = made;
    expect((await ask("PUT", `${configMaps}/x`, put({ resourceVersion }, { data: { k: "2" } }))).status).toBe(200);
    expect((await ask("PUT", `${configMaps}/x`, put({}, { data: { k: "3" } }))).json.data).toEqual({ k: "3" });
    expect((await ask("PUT", `${configMaps}/x`, put({ resourceVersion }))).status).toBe(409);
    expect((await ask("PUT", `${configMaps}/x`, put({ resourceVersion: "abc" }))).status).toBe(500);
  });

  test("some kinds must say which", async () => {
    const { ask } = testServer();
    const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    await ask("POST", leases, put({}));
    const { status, json } = await ask("PUT", `${leases}/x`, put({}));
    expect([status, json.message]).toEqual([
      422,
      'leases.coordination.k8s.io "x" is invalid: metadata.resourceVersion: Invalid value: 0: ' +
        "must be specified for an update",
    ]);
  });

  test("another uid is a conflict", async () => {
    const { ask } = await withConfigMap();
    expect((await ask("PUT", `${configMaps}/x`, put({ uid: "other" }))).json.reason).toBe("Conflict");
  });
});

test("what an update never changes", async () => {
  const { ask, made } = await withConfigMap();
  const { json } = await ask(
    "PUT",
    `${configMaps}/x`,
    put({ creationTimestamp: "2020-01-01T00:00:00Z", generation: 9 }),
  );
  expect(json.metadata).toMatchObject({ uid: made.uid, creationTimestamp: made.creationTimestamp });
  expect([json.metadata.generation, json.metadata.labels]).toEqual([undefined, undefined]);
});

test("an update of what does not exist creates it for a few kinds only", async () => {
  const { ask } = testServer();
  expect((await ask("PUT", `${configMaps}/x`, put({}))).status).toBe(404);
  const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases/x";
  expect((await ask("PUT", leases, put({}))).status).toBe(201);
});

test.each([
  [{ finalizers: ["foo"] }, "metadata.finalizers[0]"],
  [{ finalizers: ["Not Valid"] }, "metadata.finalizers"],
  [{ labels: { a: "-" } }, "metadata.labels"],
  [{ annotations: { "a b": "c" } }, "metadata.annotations"],
  [{ ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p" }] }, "metadata.ownerReferences.uid"],
])("an update to %j is invalid", async (metadata, field) => {
  const { merge } = await withConfigMap();
  const { status, json } = await merge(`${configMaps}/x`, { metadata });
  expect([status, json.details.causes[0].field]).toEqual([422, field]);
});

test.each([
  [{ metadata: {} }, "the name of the object (x based on URL) was undeterminable: name must be provided"],
  [{ metadata: { name: "y" } }, "the name of the object (y) does not match the name on the URL (x)"],
  [
    { metadata: { name: "x", namespace: "y" } },
    "the namespace of the provided object does not match the namespace sent on the request",
  ],
])("%j is a bad request", async (body, message) => {
  const { ask } = await withConfigMap();
  const { status, json } = await ask("PUT", `${configMaps}/x`, body);
  expect([status, json.message]).toEqual([400, message]);
});

describe("spec and status", () => {
  async function withSet() {
    const api = testServer();
    await api.ask("POST", statefulSets, statefulSet("db"));
    return api;
  }

  test("an update of the object leaves its status alone, and the other way round", async () => {
    const { merge } = await withSet();
    const both = { spec: { replicas: 3 }, status: { replicas: 3, readyReplicas: 1 } };
    const main = (await merge(`${statefulSets}/db`, both)).json;
    expect([main.spec.replicas, main.status]).toEqual([3, { replicas: 0, availableReplicas: 0 }]);
    const status = (await merge(`${statefulSets}/db/status`, { ...both, spec: { replicas: 5 } })).json;
    expect([status.spec.replicas, status.status.readyReplicas]).toEqual([3, 1]);
  });

  test("the status of a built-in kind may come with metadata", async () => {
    const { merge } = await withSet();
    const metadata = { labels: { a: "b" }, finalizers: ["a.dev/b"] };
    expect((await merge(`${statefulSets}/db/status`, { metadata })).json.metadata).toMatchObject(metadata);
  });

  test("the generation counts changes of the spec, and the deletion", async () => {
    const { ask, merge } = await withSet();
    const generation = async (path: string, patch: object) => (await merge(path, patch)).json.metadata.generation;
    expect(await generation(`${statefulSets}/db`, { metadata: { labels: { a: "b" }, finalizers: ["a.dev/b"] } })).toBe(
      1,
    );
    expect(await generation(`${statefulSets}/db/status`, { status: { replicas: 2 } })).toBe(1);
    expect(await generation(`${statefulSets}/db`, { spec: { replicas: 2 } })).toBe(2);
    expect(await generation(`${statefulSets}/db`, { spec: { replicas: 2 } })).toBe(2);
    expect((await ask("DELETE", `${statefulSets}/db`)).json.metadata.generation).toBe(3);
    expect((await ask("DELETE", `${statefulSets}/db`)).json.metadata.generation).toBe(3);
  });
});

describe("while it is being deleted", () => {
  async function dying() {
    const api = testServer();
    await api.ask("POST", configMaps, put({ finalizers: ["a.dev/b", "c.dev/d"] }));
    await api.ask("DELETE", `${configMaps}/x`);
    return api;
  }

  test("no finalizer can be added", async () => {
    const { merge } = await dying();
    const { status, json } = await merge(`${configMaps}/x`, { metadata: { finalizers: ["a.dev/b", "e.dev/f"] } });
    expect([status, json.message]).toEqual([
      422,
      'ConfigMap "x" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object ' +
        'is being deleted, found new finalizers []string{"e.dev/f"}',
    ]);
  });

  test("the deletion cannot be taken back or put off", async () => {
    const { merge } = await dying();
    const { json } = await merge(`${configMaps}/x`, { metadata: { deletionTimestamp: null, labels: { a: "b" } } });
    expect(json.metadata.deletionTimestamp).toBe("2026-01-01T00:00:00Z");
    expect((await merge(`${configMaps}/x`, { metadata: { deletionGracePeriodSeconds: 9 } })).status).toBe(422);
    const later = { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } };
    expect((await merge(`${configMaps}/x`, later)).json.metadata.deletionTimestamp).toBe("2026-01-01T00:00:00Z");
  });

  test("the update that takes the last finalizer is the deletion", async () => {
    const { ask, merge } = await dying();
    const first = await merge(`${configMaps}/x`, { metadata: { finalizers: ["c.dev/d"] } });
    expect((await ask("GET", `${configMaps}/x`)).status).toBe(200);
    const last = await merge(`${configMaps}/x`, { metadata: { finalizers: [] } });
    expect([last.status, last.json.metadata.finalizers]).toEqual([200, undefined]);
    expect(last.json.metadata.resourceVersion).toBe(first.json.metadata.resourceVersion);
    expect((await ask("GET", `${configMaps}/x`)).status).toBe(404);
  });

  test("a dry run of it is none", async () => {
    const { ask, merge } = await dying();
    await merge(`${configMaps}/x?dryRun=All`, { metadata: { finalizers: [] } });
    expect((await ask("GET", `${configMaps}/x`)).json.metadata.finalizers).toEqual(["a.dev/b", "c.dev/d"]);
  });
});
