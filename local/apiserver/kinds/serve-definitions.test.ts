import { describe, expect, test } from "vitest";
import { testServer } from "../testing/test-server.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const things = "/apis/example.dev/v1/namespaces/default/things";
const version = (name: string, storage: boolean) => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: {
          type: "object",
          required: ["size"],
          properties: { size: { type: "integer", minimum: 1 }, mode: { type: "string", default: "a" } },
        },
        status: { type: "object", properties: { phase: { type: "string" } } },
      },
    },
  },
});
const definition = {
  metadata: { name: "things.example.dev" },
  spec: {
    group: "example.dev",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [version("v1", true), version("v2", false)],
  },
};
const thing = (name: string, more: object = {}) => ({
  apiVersion: "example.dev/v1",
  kind: "Thing",
  metadata: { name },
  spec: { size: 1 },
  ...more,
});

async function served() {
  const api = testServer();
  await api.ask("POST", definitions, definition);
  return api;
}

describe("a definition", () => {
  test("is established and served at once, and refined by defaults", async () => {
    const { ask } = await served();
    const { json } = await ask("GET", `${definitions}/things.example.dev`);
    expect(json.spec.names).toEqual({ plural: "things", kind: "Thing", singular: "thing", listKind: "ThingList" });
    expect(json.status.storedVersions).toEqual(["v1"]);
    expect(json.status.conditions.map(({ type, status }: Record<string, string>) => `${type}=${status}`)).toEqual([
      "NamesAccepted=True",
      "Established=True",
    ]);
    expect((await ask("GET", "/apis/example.dev/v2")).json.resources[0].name).toBe("things");
  });

  test("that no longer serves a version takes it away", async () => {
    const { ask, merge } = await served();
    const versions = [version("v1", true), { ...version("v2", false), served: false }];
    await merge(`${definitions}/things.example.dev`, { spec: { versions } });
    expect((await ask("GET", things.replace("v1", "v2"))).status).toBe(404);
    expect((await ask("GET", things)).status).toBe(200);
  });

  test("keeps its scope, and is converted by no webhook", async () => {
    const { merge } = await served();
    const change = async (spec: object) => (await merge(`${definitions}/things.example.dev`, { spec })).status;
    expect([await change({ scope: "Cluster" }), await change({ conversion: { strategy: "Webhook" } })]).toEqual([
      422, 422,
    ]);
  });
});

describe("a custom resource", () => {
  test("is pruned, defaulted and validated", async () => {
    const { ask } = await served();
    const made = await ask("POST", things, thing("x", { spec: { size: 2, junk: 1 }, status: { phase: "Ready" } }));
    expect([made.status, made.json.spec, made.json.status]).toEqual([201, { size: 2, mode: "a" }, undefined]);
    expect(made.headers.warning).toBe('299 - "unknown field \\"spec.junk\\""');
    expect((await ask("POST", things, thing("y", { spec: { size: 0 } }))).status).toBe(422);
    expect((await ask("POST", `${things}?fieldValidation=Strict`, thing("y", { junk: 1 }))).status).toBe(400);
  });

  test("says what it is", async () => {
    const { ask } = await served();
    const post = async (more: object) => (await ask("POST", things, thing("x", more))).status;
    expect([
      await post({ kind: undefined }),
      await post({ apiVersion: undefined }),
      await post({ apiVersion: "example.dev/v2" }),
      await post({ kind: "Other" }),
    ]).toEqual([400, 400, 400, 400]);
  });

  test("is served in each version, and items say which", async () => {
    const { ask } = await served();
    await ask("POST", things, thing("x"));
    const { json } = await ask("GET", things.replace("v1", "v2"));
    expect([json.apiVersion, json.items[0].apiVersion, json.items[0].kind]).toEqual([
      "example.dev/v2",
      "example.dev/v2",
      "Thing",
    ]);
  });

  test("keeps status and the rest apart, metadata included", async () => {
    const { ask, merge } = await served();
    await ask("POST", things, thing("x"));
    const { json } = await merge(`${things}/x/status`, {
      metadata: { labels: { a: "b" }, finalizers: ["a.dev/b"] },
      spec: { size: 9 },
      status: { phase: "Ready" },
    });
    expect([json.metadata.labels, json.metadata.finalizers, json.spec.size, json.status]).toEqual([
      undefined,
      undefined,
      1,
      { phase: "Ready" },
    ]);
    expect((await merge(`${things}/x`, { status: { phase: "No" } })).json.status).toEqual({ phase: "Ready" });
  });

  test("has a generation, and is updated under its version only", async () => {
    const { ask, merge } = await served();
    await ask("POST", things, thing("x"));
    expect((await merge(`${things}/x`, { metadata: { labels: { a: "b" } } })).json.metadata.generation).toBe(1);
    expect((await merge(`${things}/x`, { spec: { size: 2 } })).json.metadata.generation).toBe(2);
    expect((await ask("PUT", `${things}/x`, thing("x"))).status).toBe(422);
  });

  test("knows no strategic patch", async () => {
    const { ask } = await served();
    await ask("POST", things, thing("x"));
    const headers = { "content-type": "application/strategic-merge-patch+json" };
    expect((await ask("PATCH", `${things}/x`, {}, headers)).status).toBe(415);
  });
});

describe("a definition that is deleted", () => {
  test("takes all of its kind with it", async () => {
    const { ask } = await served();
    await ask("POST", things, thing("x"));
    await ask("DELETE", `${definitions}/things.example.dev`);
    expect((await ask("GET", `${definitions}/things.example.dev`)).status).toBe(404);
    expect((await ask("GET", things)).status).toBe(404);
    await ask("POST", definitions, definition);
    expect((await ask("GET", things)).json.items).toEqual([]);
  });

  test("waits for what finalizers hold, and takes nothing new meanwhile", async () => {
    const { ask, merge, watch } = await served();
    await ask("POST", things, thing("x", { metadata: { name: "x", finalizers: ["a.dev/b"] } }));
    const { ended, seen } = await watch(`${things}?watch=1`);
    const { json } = await ask("DELETE", `${definitions}/things.example.dev`);
    expect(json.metadata.finalizers).toEqual(["customresourcecleanup.apiextensions.k8s.io"]);
    expect((await ask("POST", things, thing("y"))).json.message).toBe(
      'things.example.dev "y" is forbidden: create not allowed while custom resource definition is terminating',
    );
    await merge(`${things}/x`, { metadata: { finalizers: null } });
    expect(await seen()).toEqual(["ADDED x", "MODIFIED x", "DELETED x"]);
    expect(ended()).toBe(true);
    expect((await ask("GET", `${definitions}/things.example.dev`)).status).toBe(404);
  });
});
