import { describe, expect, test } from "vitest";
import { testServer } from "../fixtures/test-server.ts";

const namespaces = "/api/v1/namespaces";
const content = `${namespaces}/demo/configmaps`;

async function withNamespace(more: object = {}) {
  const api = testServer();
  const { json } = await api.ask("POST", namespaces, { metadata: { name: "demo" }, ...more });
  return { ...api, made: json };
}

test("a new namespace is active, labelled, and held by the cluster", async () => {
  const { made } = await withNamespace({ spec: { finalizers: ["a.dev/b"] }, status: { phase: "Terminating" } });
  expect([made.metadata.labels, made.spec, made.status]).toEqual([
    { "kubernetes.io/metadata.name": "demo" },
    { finalizers: ["a.dev/b", "kubernetes"] },
    { phase: "Active" },
  ]);
});

test("its label says the whole name, and stays", async () => {
  const { ask, merge } = testServer();
  const { metadata } = (await ask("POST", namespaces, { metadata: { generateName: "demo-" } })).json;
  const labels = { "kubernetes.io/metadata.name": metadata.name };
  expect(metadata.labels).toEqual(labels);
  const change = { metadata: { labels: { "kubernetes.io/metadata.name": null } } };
  expect((await merge(`${namespaces}/${metadata.name}`, change)).json.metadata.labels).toEqual(labels);
});

test("its name is one part of a domain", async () => {
  const { json } = await testServer().ask("POST", namespaces, { metadata: { name: "a.b" } });
  expect(json.message).toBe('Namespace "a.b" is invalid: metadata.name: Invalid value: "a.b": must not contain dots');
});

test("some may not be deleted, and they do not go as a collection", async () => {
  const { ask } = testServer();
  for (const name of ["default", "kube-system", "kube-public"]) {
    const { status, json } = await ask("DELETE", `${namespaces}/${name}`);
    expect([status, json.message]).toEqual([
      403,
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    ]);
  }
});

describe("content", () => {
  test("needs its namespace", async () => {
    const { status, json } = await testServer().ask("POST", content, { metadata: { name: "x" } });
    expect([status, json.details]).toEqual([404, { name: "demo", kind: "namespaces" }]);
  });

  test("does not come into one that is going, but may still change there", async () => {
    const { ask, merge } = await withNamespace();
    await ask("POST", content, { metadata: { name: "x" } });
    await ask("DELETE", `${namespaces}/demo`);
    const { status, json } = await ask("POST", content, { metadata: { generateName: "y-" } });
    expect([status, json.message, json.details.causes]).toEqual([
      403,
      'configmaps "y-" is forbidden: unable to create new content in namespace demo because it is being terminated',
      [
        {
          reason: "NamespaceTerminating",
          message: "namespace demo is being terminated",
          field: "metadata.namespace",
        },
      ],
    ]);
    expect((await merge(`${content}/x`, { data: { k: "v" } })).status).toBe(200);
  });
});

describe("the end", () => {
  test("begins with a DELETE and is over when the last finalizer of the spec is gone", async () => {
    const { ask, merge } = await withNamespace();
    const dying = await ask("DELETE", `${namespaces}/demo`);
    expect([dying.json.status, dying.json.metadata.deletionGracePeriodSeconds]).toEqual([
      { phase: "Terminating" },
      undefined,
    ]);
    expect((await ask("DELETE", `${namespaces}/demo`)).json.metadata).toEqual(dying.json.metadata);
    const untouched = await merge(`${namespaces}/demo`, { spec: { finalizers: [] } });
    expect(untouched.json.spec.finalizers).toEqual(["kubernetes"]);
    const done = await ask("PUT", `${namespaces}/demo/finalize`, { metadata: { name: "demo" }, spec: {} });
    expect([done.status, done.json.spec]).toEqual([200, {}]);
    expect((await ask("GET", `${namespaces}/demo`)).status).toBe(404);
  });

  test("waits for finalizers of the metadata, too", async () => {
    const { ask, merge } = await withNamespace();
    await merge(`${namespaces}/demo`, { metadata: { finalizers: ["a.dev/b"] } });
    await ask("DELETE", `${namespaces}/demo`);
    await ask("PUT", `${namespaces}/demo/finalize`, { metadata: { name: "demo" }, spec: {} });
    expect((await ask("GET", `${namespaces}/demo`)).status).toBe(200);
    await merge(`${namespaces}/demo`, { metadata: { finalizers: null } });
    expect((await ask("GET", `${namespaces}/demo`)).status).toBe(404);
  });

  test("of a namespace that is not being deleted is not brought about by finalizing it", async () => {
    const { ask } = await withNamespace();
    await ask("PUT", `${namespaces}/demo/finalize`, { metadata: { name: "demo" }, spec: {} });
    expect((await ask("GET", `${namespaces}/demo`)).status).toBe(200);
    await ask("DELETE", `${namespaces}/demo`);
    expect((await ask("GET", `${namespaces}/demo`)).status).toBe(404);
  });
});
