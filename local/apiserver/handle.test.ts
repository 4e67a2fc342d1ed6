import { describe, expect, test } from "vitest";
import { encodeFailure } from "./representation/encode.ts";
import { StatusError } from "./status-error.ts";
import { configMaps, testServer } from "./testing/test-server.ts";

const notFoundPage = "404 page not found\n";
const notFoundStatus = "the server could not find the requested resource";

describe("where nothing is", () => {
  test.each([
    ["/foo", notFoundPage],
    ["/apis/nobody.dev/v1/foos", notFoundPage],
    ["/api/v1/foos", notFoundStatus],
    ["/apis/apps/v7/statefulsets", notFoundStatus],
    ["/api/v1/namespaces/default/pods/x/foo", notFoundStatus],
    ["/api/v1/namespaces/default/nodes", notFoundStatus],
  ])("%s", async (path, message) => {
    const { status, json, text } = await testServer().ask("GET", path);
    expect([status, json?.message ?? text]).toEqual([404, message]);
  });
});

test.each([
  ["PUT", configMaps],
  ["PATCH", configMaps],
  ["POST", `${configMaps}/x`],
  ["POST", "/api/v1/configmaps"],
  ["DELETE", "/api/v1/namespaces"],
  ["DELETE", `${configMaps.replace("configmaps", "pods")}/x/status`],
  ["GET", "/api/v1/namespaces/default/pods/x/binding"],
  ["GET", "/apis/authentication.k8s.io/v1/selfsubjectreviews"],
] as const)("%s %s is not allowed", async (method, path) => {
  const { status, json } = await testServer().ask(method, path);
  expect([status, json.reason]).toEqual([405, "MethodNotAllowed"]);
});

test("what is there beside resources", async () => {
  const { ask } = testServer();
  for (const path of ["/healthz", "/livez", "/readyz"]) expect((await ask("GET", path)).text).toBe("ok");
  expect((await ask("GET", "/version")).json.gitVersion).toMatch(/^v1\.36/);
  expect((await ask("GET", "/apis/apps/v1")).json.kind).toBe("APIResourceList");
  expect((await ask("GET", "/openapi/v3")).json.paths["apis/apps/v1"]).toBeDefined();
});

describe("forms of an answer", () => {
  test.each([
    ["application/vnd.kubernetes.protobuf,application/json", 200],
    ["application/vnd.kubernetes.protobuf", 200],
    ["text/html, */*", 200],
    ["text/html", 406],
    ["application/json;as=Foo;g=meta.k8s.io;v=v1", 406],
    ["application/json;as=Table;v=v9;g=meta.k8s.io,application/json;as=Table;v=v1;g=meta.k8s.io", 200],
  ])("%s is %i", async (accept, status) => {
    expect((await testServer().ask("GET", configMaps, undefined, { accept })).status).toBe(status);
  });

  test("nothing is done for a client that could not read the answer", async () => {
    const { ask } = testServer();
    const { status } = await ask("POST", configMaps, { metadata: { name: "x" } }, { accept: "text/html" });
    expect([status, (await ask("GET", `${configMaps}/x`)).status]).toEqual([406, 404]);
  });

  test("a table of one object and of a list", async () => {
    const { ask } = testServer();
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    const one = await ask("GET", "/api/v1/namespaces/default", undefined, { accept });
    const all = await ask("GET", "/api/v1/namespaces?includeObject=None", undefined, { accept });
    expect([one.json.kind, one.json.rows[0].cells[0], one.json.rows[0].object.kind]).toEqual([
      "Table",
      "default",
      "PartialObjectMetadata",
    ]);
    expect([all.json.rows.length, all.json.rows[0].object]).toEqual([3, null]);
  });
});

describe("failures", () => {
  test("that are a fault on our side say no more than their message", async () => {
    const { status, body } = encodeFailure(new Error("a bug"));
    const text = (await Array.fromAsync(body)).join("");
    expect([status, JSON.parse(text).message]).toEqual([500, "Internal error occurred: a bug"]);
  });

  test("that are to be tried again say when", () => {
    const { headers } = encodeFailure(new StatusError(429, "TooManyRequests", "slow down", { retryAfterSeconds: 7 }));
    expect(headers["retry-after"]).toBe("7");
  });
});

test("an observer hears of every change while it is made", async () => {
  const heard: string[] = [];
  const { ask } = testServer({
    observe: (collection, { type, current }) => heard.push(`${collection} ${type} ${current.key}`),
  });
  heard.length = 0;
  await ask("POST", configMaps, { metadata: { name: "x" } });
  await ask("DELETE", `${configMaps}/x`);
  expect(heard).toEqual(["/configmaps ADDED default/x", "/configmaps DELETED default/x"]);
});

test("the same seed and the same requests give the same answers to the byte", async () => {
  const play = async () => {
    const { ask } = testServer();
    await ask("POST", configMaps, { metadata: { generateName: "x-" } });
    return (await ask("GET", configMaps)).text;
  };
  expect(await play()).toBe(await play());
});
