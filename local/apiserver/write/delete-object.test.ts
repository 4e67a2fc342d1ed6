import { describe, expect, test } from "vitest";
import { configMaps, pod, pods, testServer } from "../fixtures/test-server.ts";

describe("without anything that holds it", () => {
  test("it is gone at once, and a Status says so", async () => {
    const { ask } = testServer();
    const { json } = await ask("POST", configMaps, { metadata: { name: "x" } });
    expect((await ask("DELETE", `${configMaps}/x`)).json).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "x", kind: "configmaps", uid: json.metadata.uid },
    });
    expect((await ask("DELETE", `${configMaps}/x`)).status).toBe(404);
  });

  test("some kinds answer with the object once more", async () => {
    const { ask } = testServer();
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await ask("POST", accounts, { metadata: { name: "x" } });
    expect((await ask("DELETE", `${accounts}/x`)).json.kind).toBe("ServiceAccount");
  });

  test("a dry run leaves it", async () => {
    const { ask } = testServer();
    await ask("POST", configMaps, { metadata: { name: "x" } });
    expect((await ask("DELETE", `${configMaps}/x?dryRun=All`)).json.status).toBe("Success");
    expect((await ask("DELETE", `${configMaps}/x`, { dryRun: ["All"] })).json.status).toBe("Success");
    expect((await ask("GET", `${configMaps}/x`)).status).toBe(200);
  });
});

describe("preconditions", () => {
  test.each([
    [
      { uid: "other" },
      /^Operation cannot be fulfilled on ConfigMap "x": the UID in the precondition \(other\) does not match the UID in record/,
    ],
    [
      { resourceVersion: "1" },
      /^Operation cannot be fulfilled on ConfigMap "x": the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record/,
    ],
  ])("%j is a conflict", async (preconditions, message) => {
    const { ask } = testServer();
    await ask("POST", configMaps, { metadata: { name: "x" } });
    const { status, json } = await ask("DELETE", `${configMaps}/x`, { preconditions });
    expect([status, json.details]).toEqual([409, { name: "x", kind: "ConfigMap" }]);
    expect(json.message).toMatch(message);
  });

  test("that hold let it go", async () => {
    const { ask } = testServer();
    const { uid, resourceVersion } = (await ask("POST", configMaps, { metadata: { name: "x" } })).json.metadata;
    expect((await ask("DELETE", `${configMaps}/x`, { preconditions: { uid, resourceVersion } })).status).toBe(200);
  });
});

describe("with finalizers", () => {
  async function held(finalizers = ["a.dev/b"]) {
    const api = testServer();
    await api.ask("POST", configMaps, { metadata: { name: "x", finalizers } });
    const remove = async (body?: object, query = "") => {
      const { status, json } = await api.ask("DELETE", `${configMaps}/x${query}`, body);
      return { status, ...json.metadata };
    };
    return { ...api, remove };
  }

  test("it waits, and says since when", async () => {
    const { remove } = await held();
    expect(await remove()).toMatchObject({
      status: 200,
      deletionTimestamp: "2026-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 0,
      finalizers: ["a.dev/b"],
    });
  });

  test("a second DELETE keeps the time and writes nothing", async () => {
    const { clock, remove } = await held();
    const first = await remove();
    await clock.advance(60_000);
    expect(await remove({ propagationPolicy: "Background" })).toEqual(first);
    expect(await remove()).toEqual(first);
  });

  test("a second DELETE may still change what becomes of the dependents", async () => {
    const { remove } = await held();
    await remove();
    expect((await remove({ propagationPolicy: "Orphan" })).finalizers).toEqual(["a.dev/b", "orphan"]);
    expect((await remove(undefined, "?propagationPolicy=Foreground")).finalizers).toEqual([
      "a.dev/b",
      "foregroundDeletion",
    ]);
    expect((await remove()).finalizers).toEqual(["a.dev/b", "foregroundDeletion"]);
    expect((await remove({ propagationPolicy: "Background" })).finalizers).toEqual(["a.dev/b"]);
  });

  test("orphanDependents of old: true orphans, false answers 202 while it waits", async () => {
    const { remove } = await held();
    expect((await remove({ orphanDependents: true })).finalizers).toEqual(["a.dev/b", "orphan"]);
    expect(await remove({ orphanDependents: false })).toMatchObject({ status: 202, finalizers: ["a.dev/b"] });
  });

  test.each([
    [{ propagationPolicy: "Foo" }, 422],
    [{ propagationPolicy: "Orphan", orphanDependents: true }, 422],
    [{ kind: "Pod", apiVersion: "v1" }, 400],
  ])("%j is %i", async (body, status) => {
    const { ask } = await held();
    expect((await ask("DELETE", `${configMaps}/x`, body)).status).toBe(status);
  });

  test("Background lets go what only a policy finalizer held", async () => {
    const { ask, remove } = await held(["orphan"]);
    await remove({ propagationPolicy: "Background" });
    expect((await ask("GET", `${configMaps}/x`)).status).toBe(404);
  });
});

describe("pods", () => {
  async function withPod(spec: object = {}, status?: object) {
    const api = testServer();
    await api.ask("POST", pods, pod("p", spec));
    if (status) await api.merge(`${pods}/p/status`, { status });
    const remove = async (gracePeriodSeconds?: number) => {
      const { json } = await api.ask("DELETE", `${pods}/p`, { gracePeriodSeconds });
      const { deletionTimestamp, deletionGracePeriodSeconds, generation } = json.metadata;
      return [deletionGracePeriodSeconds, deletionTimestamp?.slice(17, 19), generation];
    };
    const exists = async () => (await api.ask("GET", `${pods}/p`)).status === 200;
    return { ...api, remove, exists };
  }

  test("that are bound have the time that they ask for, until a DELETE without grace", async () => {
    const { remove, exists } = await withPod({ nodeName: "n" });
    expect([await remove(), await exists()]).toEqual([[30, "30", 2], true]);
    expect([await remove(0), await exists()]).toEqual([[0, "00", 2], false]);
  });

  test("may be given less time, never more", async () => {
    const { remove } = await withPod({ nodeName: "n" });
    expect(await remove(20)).toEqual([20, "20", 2]);
    expect(await remove(25)).toEqual([20, "20", 2]);
    expect(await remove()).toEqual([20, "20", 2]);
    expect(await remove(5)).toEqual([5, "05", 2]);
    expect(await remove(-1)).toEqual([1, "01", 2]);
  });

  test.each([
    ["unscheduled", {}, undefined],
    ["finished", { nodeName: "n" }, { phase: "Succeeded" }],
    ["failed", { nodeName: "n" }, { phase: "Failed" }],
  ])("that are %s go at once, after a last change", async (_, spec, status) => {
    const { exists, remove, watch } = await withPod(spec, status);
    const { seen } = await watch(`${pods}?watch=1`);
    await remove();
    expect([await exists(), await seen()]).toEqual([false, ["ADDED p", "MODIFIED p", "DELETED p"]]);
  });

  test("that finish while they have time left wait for it all the same", async () => {
    const { exists, merge, remove } = await withPod({ nodeName: "n" });
    await remove();
    await merge(`${pods}/p/status`, { status: { phase: "Succeeded" } });
    expect([await remove(), await exists()]).toEqual([[30, "30", 2], true]);
  });

  test("with finalizers outlive their grace period, and removing the finalizers does not end it early", async () => {
    const { exists, merge, remove } = await withPod({ nodeName: "n" });
    await merge(`${pods}/p`, { metadata: { finalizers: ["a.dev/b", "c.dev/d"] } });
    await remove();
    await merge(`${pods}/p`, { metadata: { finalizers: ["c.dev/d"] } });
    expect([await remove(0), await exists()]).toEqual([[0, "00", 2], true]);
    await merge(`${pods}/p`, { metadata: { finalizers: null } });
    expect(await exists()).toBe(false);
  });
});

test("a collection goes object by object; finalizers hold theirs", async () => {
  const { ask } = testServer();
  for (const [name, finalizers] of [
    ["a", []],
    ["b", ["a.dev/b"]],
    ["c", []],
  ] as const) {
    await ask("POST", configMaps, { metadata: { name, finalizers, labels: { c: String(name === "c") } } });
  }
  const { json } = await ask("DELETE", `${configMaps}?labelSelector=c=false`);
  expect([json.kind, json.items.length]).toEqual(["ConfigMapList", 2]);
  const left = (await ask("GET", configMaps)).json.items.map(({ metadata }: { metadata: Record<string, string> }) => [
    metadata.name,
    metadata.deletionTimestamp !== undefined,
  ]);
  expect(left).toEqual([
    ["b", true],
    ["c", false],
  ]);
});
