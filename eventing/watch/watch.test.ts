import { describe, expect, it } from "vitest";
import { createApiServer } from "../../local/apiserver/server.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import { seededRandom } from "../random.ts";
import { linesOf } from "./lines.ts";
import { listSnapshot } from "./list.ts";
import { type WatchEvent, watchEvents } from "./watch.ts";

const ConfigMap = { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true } satisfies Kind;

const answering =
  (status: number, ...chunks: string[]): Transport =>
  async () => ({
    status,
    headers: {},
    body: (async function* () {
      yield* chunks;
    })(),
  });

const collect = (transport: Transport) => Array.fromAsync(watchEvents(transport, ConfigMap, { resourceVersion: "1" }));

function createWorld() {
  const clock = virtualClock();
  const server = createApiServer({ clock, random: seededRandom(1) });
  const client = createClient(server.handle, { clock });
  const create = (name: string) => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
    return client.create(ConfigMap, object as KubernetesObject);
  };
  return { clock, server, client, create };
}

describe("linesOf", () => {
  it.each([
    { chunks: ["a\nb\n"], lines: ["a", "b"] },
    { chunks: ["a", "b\n", "c"], lines: ["ab", "c"] },
    { chunks: ["a\n", "\n", "", "b"], lines: ["a", "b"] },
    { chunks: [], lines: [] },
  ])("cuts $chunks into $lines", async ({ chunks, lines }) => {
    const body = (await answering(200, ...chunks)({ method: "GET", path: "/", headers: {} })).body;
    expect(await Array.fromAsync(linesOf(body))).toEqual(lines);
  });
});

describe("watchEvents", () => {
  it("yields what changes after the version it starts from", async () => {
    const { clock, server, client, create } = createWorld();
    await create("before");
    const { resourceVersion } = await listSnapshot(client, ConfigMap);
    const stop = new AbortController();
    const seen: WatchEvent[] = [];
    const watched = (async () => {
      for await (const event of watchEvents(server.handle, ConfigMap, { resourceVersion, signal: stop.signal })) {
        seen.push(event);
      }
    })();
    await clock.settle();
    const { metadata } = await create("one");
    await client.patch(ConfigMap, "default", "one", "merge", { data: { a: "b" } });
    await client.delete(ConfigMap, "default", "one", { uid: metadata.uid });
    await clock.settle();
    expect(seen.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      "ADDED one",
      "MODIFIED one",
      "DELETED one",
    ]);
    stop.abort();
    await watched;
  });

  it("names the kind of metadata-only objects", async () => {
    const { clock, server, client, create } = createWorld();
    const { resourceVersion } = await listSnapshot(client, ConfigMap);
    const options = { resourceVersion, metadataOnly: true, timeoutSeconds: 5 };
    const watched = Array.fromAsync(watchEvents(server.handle, ConfigMap, options));
    await clock.settle();
    await create("one");
    await clock.advance(10_000);
    const [event] = await watched;
    expect(event?.object).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } });
  });

  it("throws a 410 when the version is too old, and when the stream says so", async () => {
    const { clock, server, client, create } = createWorld();
    const { resourceVersion } = await listSnapshot(client, ConfigMap);
    await create("one");
    server.compact();
    await clock.settle();
    const watch = watchEvents(server.handle, ConfigMap, { resourceVersion });
    await expect(watch.next()).rejects.toMatchObject({ status: 410, reason: "Expired" });
    const line = JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410, message: "too old" } });
    await expect(collect(answering(200, line))).rejects.toMatchObject({ status: 410, reason: "Expired" });
  });

  it.each([
    {
      what: "a refusal",
      transport: answering(403, '{"reason":"Forbidden","message":"no"}'),
      status: 403,
      reason: "Forbidden",
    },
    { what: "a refusal by a proxy", transport: answering(502, "<html>"), status: 502, reason: "Unknown" },
    { what: "something that is no JSON", transport: answering(200, "{\n"), status: 0, reason: "Unreadable" },
    {
      what: "no answer",
      transport: (async () => {
        throw new Error("refused");
      }) as Transport,
      status: 0,
      reason: "Unreachable",
    },
  ])("throws an ApiError for $what", async ({ transport, status, reason }) => {
    await expect(collect(transport)).rejects.toMatchObject({ name: "ApiError", status, reason });
  });

  it("closes the response when the reader leaves", async () => {
    let closed = false;
    const transport: Transport = async () => ({
      status: 200,
      headers: {},
      body: (async function* () {
        try {
          yield '{"type":"ADDED","object":{"metadata":{"name":"one","resourceVersion":"2"}}}\n';
          yield "";
        } finally {
          closed = true;
        }
      })(),
    });
    for await (const event of watchEvents(transport, ConfigMap, { resourceVersion: "1" })) {
      expect(event.type).toBe("ADDED");
      break;
    }
    expect(closed).toBe(true);
  });
});

describe("listSnapshot", () => {
  it("reads all pages of one moment, and begins again when a page has expired", async () => {
    const { server, create, clock } = createWorld();
    for (let index = 0; index < 501; index++) await create(`item-${index}`);
    let pages = 0;
    const client = createClient(
      (request) => {
        if (request.path.includes("continue=") && ++pages === 1) server.compact();
        return server.handle(request);
      },
      { clock },
    );
    const { items } = await listSnapshot<KubernetesObject>(client, ConfigMap, { namespace: "default" });
    expect(items.filter(({ metadata }) => metadata.name.startsWith("item-"))).toHaveLength(501);
    expect(pages).toBeGreaterThan(0);
    expect(items[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
  });
});
