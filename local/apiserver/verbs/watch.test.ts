import { describe, expect, test } from "vitest";
import { configMaps, testServer } from "../fixtures/test-server.ts";

const configMap = (name: string, a?: string) => ({ metadata: { name, ...(a ? { labels: { a } } : {}) } });

describe("where it begins", () => {
  test("without a version or with 0: with everything there is", async () => {
    const { ask, watch } = testServer();
    await ask("POST", configMaps, configMap("x"));
    const [unset, zero] = [
      await watch(`${configMaps}?watch=1`),
      await watch(`${configMaps}?watch=1&resourceVersion=0`),
    ];
    await ask("POST", configMaps, configMap("y"));
    expect([await unset.seen(), await zero.seen()]).toEqual([
      ["ADDED x", "ADDED y"],
      ["ADDED x", "ADDED y"],
    ]);
  });

  test("after a version: with what happened since", async () => {
    const { ask, merge, watch } = testServer();
    const { json } = await ask("POST", configMaps, configMap("x"));
    await merge(`${configMaps}/x`, { data: { k: "v" } });
    await ask("POST", "/api/v1/namespaces/kube-system/configmaps", configMap("elsewhere"));
    await ask("DELETE", `${configMaps}/x`);
    const { seen } = await watch(`${configMaps}?watch=1&resourceVersion=${json.metadata.resourceVersion}`);
    expect(await seen()).toEqual(["MODIFIED x", "DELETED x"]);
  });

  test("with initial events: a bookmark says where they end", async () => {
    const { ask, watch } = testServer();
    await ask("POST", configMaps, configMap("x"));
    const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const { events, seen } = await watch(`${configMaps}?${query}`);
    expect(await seen()).toEqual(["ADDED x", "BOOKMARK"]);
    expect(events[1].object).toMatchObject({
      kind: "ConfigMap",
      metadata: { annotations: { "k8s.io/initial-events-end": "true" }, resourceVersion: expect.any(String) },
    });
  });

  test("after a version that is forgotten: 410 as an event, and the end", async () => {
    const { ask, server, watch } = testServer();
    const { json } = await ask("POST", configMaps, configMap("x"));
    await ask("POST", configMaps, configMap("y"));
    server.compact();
    const { events, seen, ended } = await watch(
      `${configMaps}?watch=1&resourceVersion=${json.metadata.resourceVersion}`,
    );
    await seen();
    expect([events[0].type, events[0].object.code, events[0].object.reason]).toEqual(["ERROR", 410, "Expired"]);
    expect(ended()).toBe(true);
  });

  test.each(["watch=1&sendInitialEvents=true", "watch=1&resourceVersion=1&resourceVersionMatch=NotOlderThan"])(
    "%s is 422",
    async (query) => {
      expect((await testServer().ask("GET", `${configMaps}?${query}`)).status).toBe(422);
    },
  );
});

describe("what is selected", () => {
  test("begins and ends for the watcher when its labels do, with the state that was selected", async () => {
    const { ask, merge, watch } = testServer();
    const { events, seen } = await watch(`${configMaps}?watch=1&labelSelector=a=1`);
    await ask("POST", configMaps, { ...configMap("x", "1"), data: { k: "old" } });
    const { json } = await merge(`${configMaps}/x`, { metadata: { labels: { a: "2" } }, data: { k: "new" } });
    await merge(`${configMaps}/x`, { metadata: { labels: { a: "3" } } });
    await merge(`${configMaps}/x`, { metadata: { labels: { a: "1" } } });
    expect(await seen()).toEqual(["ADDED x", "DELETED x", "ADDED x"]);
    expect(events[1].object).toMatchObject({
      data: { k: "old" },
      metadata: { labels: { a: "1" }, resourceVersion: json.metadata.resourceVersion },
    });
  });

  test("a deletion shows the last stored state, finalizers and all, under its own version", async () => {
    const { ask, merge, watch } = testServer();
    await ask("POST", configMaps, { metadata: { name: "x", finalizers: ["a.dev/b"] } });
    const { json } = await ask("DELETE", `${configMaps}/x`);
    const { events, seen } = await watch(`${configMaps}?watch=1&resourceVersion=${json.metadata.resourceVersion}`);
    await merge(`${configMaps}/x`, { metadata: { finalizers: null, labels: { last: "word" } } });
    expect(await seen()).toEqual(["DELETED x"]);
    const { metadata } = events[0].object;
    expect([metadata.finalizers, metadata.labels]).toEqual([["a.dev/b"], undefined]);
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(json.metadata.resourceVersion));
  });
});

describe("how it ends", () => {
  test("after its timeout, with a bookmark 2 s before", async () => {
    const { ask, clock, watch } = testServer();
    const { seen, ended } = await watch(`${configMaps}?watch=1&timeoutSeconds=10&allowWatchBookmarks=true`);
    await ask("POST", configMaps, configMap("x"));
    await clock.advance(7_999);
    expect(await seen()).toEqual(["ADDED x"]);
    await clock.advance(1);
    expect(await seen()).toEqual(["ADDED x", "BOOKMARK"]);
    expect(ended()).toBe(false);
    await clock.advance(2_000);
    expect(ended()).toBe(true);
  });

  test("after half an hour to an hour when nobody said", async () => {
    const { clock, watch } = testServer();
    const { ended } = await watch(`${configMaps}?watch=1`);
    await clock.advance(30 * 60_000 - 1);
    expect(ended()).toBe(false);
    await clock.advance(30 * 60_000 + 1);
    expect(ended()).toBe(true);
  });

  test("when the server closes, and when the reader leaves", async () => {
    const { clock, server, watch } = testServer();
    const { ended } = await watch(`${configMaps}?watch=1&allowWatchBookmarks=true`);
    const left = await server.handle({ method: "GET", path: `${configMaps}?watch=1`, headers: {} });
    await left.body[Symbol.asyncIterator]().return?.();
    server.close();
    await clock.settle();
    expect(ended()).toBe(true);
  });

  test("when the request is aborted", async () => {
    const { server } = testServer();
    const abort = new AbortController();
    const path = `${configMaps}?watch=1`;
    const { body } = await server.handle({ method: "GET", path, headers: {}, signal: abort.signal });
    const end = body[Symbol.asyncIterator]().next();
    abort.abort();
    expect(await end).toMatchObject({ done: true });
  });
});

test("bookmarks come each minute to who asked for them", async () => {
  const { clock, watch } = testServer();
  const [with_, without] = [
    await watch(`${configMaps}?watch=1&allowWatchBookmarks=true`),
    await watch(`${configMaps}?watch=1`),
  ];
  await clock.advance(120_000);
  expect([await with_.seen(), await without.seen()]).toEqual([["BOOKMARK", "BOOKMARK"], []]);
});

test("events in the form that was asked for: metadata alone, tables", async () => {
  const { ask, watch } = testServer();
  const accept = (as: string) => ({ accept: `application/json;as=${as};g=meta.k8s.io;v=v1` });
  const metadata = await watch(`${configMaps}?watch=1`, accept("PartialObjectMetadata"));
  const table = await watch(`${configMaps}?watch=1`, accept("Table"));
  await ask("POST", configMaps, { ...configMap("x"), data: { k: "v" } });
  await ask("DELETE", `${configMaps}/x`);
  await metadata.seen();
  expect(metadata.events.map(({ type, object }) => [type, object.kind, object.data])).toEqual([
    ["ADDED", "PartialObjectMetadata", undefined],
    ["DELETED", "PartialObjectMetadata", undefined],
  ]);
  expect(
    table.events.map(({ object }) => [object.kind, object.rows[0].cells[0], object.columnDefinitions === null]),
  ).toEqual([
    ["Table", "x", false],
    ["Table", "x", true],
  ]);
});
