import { describe, expect, test } from "vitest";
import { claim, claims, configMaps, testServer } from "../fixtures/test-server.ts";

async function withConfigMap() {
  const api = testServer();
  const { json } = await api.ask("POST", configMaps, { metadata: { name: "x" }, data: { k: "v" } });
  return { ...api, made: json };
}
const json = { "content-type": "application/json-patch+json" };
const strategic = { "content-type": "application/strategic-merge-patch+json" };
const applied = { "content-type": "application/apply-patch+yaml" };

describe("guards", () => {
  test("a stale resourceVersion is a conflict", async () => {
    const { merge } = await withConfigMap();
    expect(await merge(`${configMaps}/x`, { metadata: { resourceVersion: "2" } })).toMatchObject({
      status: 409,
      json: {
        reason: "Conflict",
        message:
          'Operation cannot be fulfilled on configmaps "x": the object has been modified; ' +
          "please apply your changes to the latest version and try again",
        details: { name: "x", kind: "configmaps" },
      },
    });
  });

  test.each([
    ["merge", "application/merge-patch+json"],
    ["strategic", "application/strategic-merge-patch+json"],
  ])("another uid is refused: %s", async (_, type) => {
    const { ask } = await withConfigMap();
    const { status, json } = await ask(
      "PATCH",
      `${configMaps}/x`,
      { metadata: { uid: "other" } },
      { "content-type": type },
    );
    const cause = {
      reason: "FieldValueInvalid",
      message: 'Invalid value: "other": field is immutable',
      field: "metadata.uid",
    };
    expect([status, json.details.causes]).toEqual([422, [cause, cause]]);
  });

  test("the right uid and version let it pass", async () => {
    const { made, merge } = await withConfigMap();
    const { uid, resourceVersion } = made.metadata;
    const { status, json } = await merge(`${configMaps}/x`, {
      metadata: { uid, resourceVersion, finalizers: ["a.dev/b"] },
    });
    expect([status, json.metadata.finalizers]).toEqual([200, ["a.dev/b"]]);
  });

  test("a JSON Patch test that fails is a 422 without causes", async () => {
    const { ask } = await withConfigMap();
    const patch = [{ op: "test", path: "/metadata/uid", value: "other" }];
    expect(await ask("PATCH", `${configMaps}/x`, patch, json)).toMatchObject({
      status: 422,
      json: {
        reason: "Invalid",
        message: "the server rejected our request due to an error in our request",
        details: {},
      },
    });
  });
});

test("a patch that changes nothing writes nothing", async () => {
  const { ask, made, merge } = await withConfigMap();
  const { resourceVersion } = made.metadata;
  for (const patch of [
    {},
    { data: { k: "v" } },
    { metadata: { creationTimestamp: "2020-01-01T00:00:00Z", generation: 4 } },
  ]) {
    expect((await merge(`${configMaps}/x`, patch)).json.metadata.resourceVersion).toBe(resourceVersion);
  }
  expect((await ask("GET", `${configMaps}`)).json.metadata.resourceVersion).toBe(resourceVersion);
});

describe("what is refused", () => {
  test.each([
    ["application/json", "{}", 415],
    ["application/merge-patch+json", "[1]", 400],
    ["application/merge-patch+json", "{", 400],
    ["application/json-patch+json", "{}", 400],
    ["application/merge-patch+json", '{"metadata":{"name":"y"}}', 400],
    ["application/merge-patch+json", '{"metadata":{"namespace":"y"}}', 400],
    ["application/merge-patch+json", '{"metadata":{"labels":{"a":1}}}', 422],
    ["application/merge-patch+json", '{"kind":"Pod"}', 422],
    ["application/merge-patch+json", '{"metadata":{"deletionTimestamp":"2020-01-01T00:00:00Z"}}', 422],
  ])("%s %s", async (type, body, status) => {
    const { ask } = await withConfigMap();
    expect((await ask("PATCH", `${configMaps}/x`, body, { "content-type": type })).status).toBe(status);
  });

  test("what does not exist", async () => {
    const { merge } = testServer();
    expect((await merge(`${configMaps}/x`, {})).json.message).toBe('configmaps "x" not found');
  });

  test("unknown fields, when asked to be strict", async () => {
    const { merge } = await withConfigMap();
    expect((await merge(`${configMaps}/x?fieldValidation=Strict`, { foo: 1 })).status).toBe(422);
    const { status, headers } = await merge(`${configMaps}/x`, { metadata: { bär: 1 } });
    expect([status, headers.warning]).toEqual([200, '299 - "unknown field \\"metadata.b?r\\""']);
  });
});

describe("finalizers and owners", () => {
  const owner = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", name, uid: `uid-${name}` });

  test("a merge patch replaces the list", async () => {
    const { merge } = await withConfigMap();
    await merge(`${configMaps}/x`, { metadata: { finalizers: ["a.dev/b", "c.dev/d"] } });
    expect(
      (await merge(`${configMaps}/x`, { metadata: { finalizers: ["e.dev/f"] } })).json.metadata.finalizers,
    ).toEqual(["e.dev/f"]);
  });

  test("a strategic patch adds to it and removes by value or by uid", async () => {
    const { ask } = await withConfigMap();
    const patch = async (metadata: object) =>
      (await ask("PATCH", `${configMaps}/x`, { metadata }, strategic)).json.metadata;
    await patch({ finalizers: ["a.dev/b"], ownerReferences: [owner("one")] });
    const both = await patch({ finalizers: ["c.dev/d"], ownerReferences: [owner("two")] });
    expect([both.finalizers, both.ownerReferences]).toEqual([
      ["c.dev/d", "a.dev/b"],
      [owner("two"), owner("one")],
    ]);
    const less = await patch({
      "$deleteFromPrimitiveList/finalizers": ["a.dev/b"],
      ownerReferences: [{ $patch: "delete", uid: "uid-one" }],
    });
    expect([less.finalizers, less.ownerReferences]).toEqual([["c.dev/d"], [owner("two")]]);
  });
});

describe("server-side apply", () => {
  const path = (name: string, query: string) => `${claims}/${name}?${query}`;

  test("creates, owns, and takes back what it no longer says", async () => {
    const { ask } = testServer();
    const config = { apiVersion: "v1", kind: "PersistentVolumeClaim", ...claim("data", { finalizers: ["a.dev/b"] }) };
    const made = await ask("PATCH", path("data", "fieldManager=one"), config, applied);
    expect([made.status, made.json.metadata.finalizers]).toEqual([201, ["a.dev/b", "kubernetes.io/pvc-protection"]]);
    const less = await ask(
      "PATCH",
      path("data", "fieldManager=one"),
      { ...config, metadata: { name: "data" } },
      applied,
    );
    // What admission added belongs to nobody, and goes with the last entry that somebody owned: as on the API server.
    expect([less.status, less.json.metadata.finalizers]).toEqual([200, undefined]);
  });

  test("conflicts with the other owner of a field unless forced", async () => {
    const { ask } = testServer();
    const config = (value: string) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "x" },
      data: { k: value },
    });
    await ask("PATCH", `${configMaps}/x?fieldManager=one`, config("1"), applied);
    const refused = await ask("PATCH", `${configMaps}/x?fieldManager=two`, config("2"), applied);
    expect([refused.status, refused.json.details.causes]).toEqual([
      409,
      [{ reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.k" }],
    ]);
    const forced = await ask("PATCH", `${configMaps}/x?fieldManager=two&force=true`, config("2"), applied);
    expect(forced.json.data).toEqual({ k: "2" });
  });

  test.each([
    ["", "{}", 422],
    ["fieldManager=m", "[]", 400],
    ["fieldManager=m", "kind: ConfigMap", 400],
    ["fieldManager=m", "{apiVersion: v1, kind: Pod}", 400],
    ["fieldManager=m", "{apiVersion: v1, kind: ConfigMap, metadata: {name: y}}", 400],
    ["fieldManager=m", "{apiVersion: v1, kind: ConfigMap, metadata: {uid: other}}", 409],
  ])("?%s %s is %i", async (query, body, status) => {
    expect((await testServer().ask("PATCH", `${configMaps}/x?${query}`, body, applied)).status).toBe(status);
  });

  test("only it may be forced", async () => {
    const { merge } = await withConfigMap();
    expect((await merge(`${configMaps}/x?force=true`, {})).json.message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    );
  });
});
