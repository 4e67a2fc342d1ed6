import { describe, expect, test } from "vitest";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { type Faults, fatedPost } from "../../test/harness/faults/fates.ts";
import { defaultFeatures } from "../features.ts";
import { readApiServerSource } from "../manifest/api-server-source.ts";
import { seededRandom } from "../random.ts";
import { object, scriptedApi } from "../testing/api.ts";
import { podsSource } from "../testing/pods-source.ts";
import { type Reply, subscribers } from "../testing/subscribers.ts";
import type { Hop } from "../trace.ts";
import { startApiServerSource } from "./api-server-source.ts";

const sink = "http://broker-ingress/shop/workloads";
const pods = "/api/v1/pods";

interface Setup {
  spec?: Record<string, unknown>;
  annotations?: Record<string, string>;
  namespaces?: string[];
  replies?: Reply[];
  faults?: Faults;
  draw?: number;
  watchSeconds?: number;
}

async function setUp(setup: Setup = {}) {
  const clock = virtualClock();
  const began = clock.now();
  const random = seededRandom(setup.draw ?? 1);
  const api = scriptedApi({ v1: ["pods", "/nodes", "persistentvolumeclaims"], "apps/v1": ["statefulsets"] });
  const { send, arrivals } = subscribers(clock, setup.replies ? { [sink]: setup.replies } : {});
  const hops: Hop[] = [];
  const reports: (string | undefined)[] = [];
  const ended = new AbortController();
  const plan = readApiServerSource(
    podsSource({ mode: "Resource", sink: { uri: sink }, ...setup.spec }, setup.annotations),
    { ...defaultFeatures, sourceFilters: true },
  );
  const source = startApiServerSource(
    plan,
    { sink, namespaces: setup.namespaces, report: (problem) => reports.push(problem) },
    {
      client: createClient(api.transport, { clock }),
      transport: api.transport,
      clock,
      random,
      signal: ended.signal,
      ...(setup.watchSeconds ? { watchSeconds: setup.watchSeconds } : {}),
      send,
      trace: (hop) => hops.push(hop),
      ...(setup.faults ? { post: fatedPost(setup.faults) } : {}),
      server: "https://10.96.0.1:443",
    },
  );
  await clock.settle();
  /** The events that arrived: type, namespace/name, and when. */
  const seen = () =>
    arrivals.map(({ request: { headers }, at }) => [
      headers["ce-type"]?.split(".").at(-1),
      `${headers["ce-namespace"]}/${headers["ce-name"]}`,
      at,
    ]);
  return { clock, api, arrivals, hops, reports, source, ended, seen, began };
}

const gapsOf = (hops: readonly Hop[]) => hops.filter(({ hop }) => hop === "gap");
const podsAndNodes = ["Pod", "Node"].map((kind) => ({ apiVersion: "v1", kind }));
const pod = (name: string, metadata: object = {}) => object("Pod", name, "shop", metadata);

describe("the event of a change", () => {
  test("has an id of its own each time, and the extensions of ceOverrides", async () => {
    const ceOverrides = { extensions: { Cluster: "blue", kind: "X" } };
    const { api, clock, arrivals } = await setUp({ spec: { ceOverrides } });
    api.change(pods, "MODIFIED", pod("a"));
    api.change(pods, "MODIFIED", pod("a"));
    await clock.settle();
    expect(new Set(arrivals.map(({ request }) => request.headers["ce-id"])).size).toBe(2);
    expect(arrivals[0]?.request.headers).toMatchObject({ "ce-cluster": "blue", "ce-kind": "X" });
  });

  test("is made of nothing that was there before", async () => {
    const { api, reports, arrivals } = await setUp();
    expect(api.requests).toEqual([
      "/api/v1",
      "/api/v1/pods?limit=1",
      "/api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=100",
    ]);
    expect(arrivals).toEqual([]);
    expect(reports).toEqual([undefined]);
  });
});

describe("what is watched", () => {
  const podsAndSets = [...podsAndNodes.slice(0, 1), { apiVersion: "apps/v1", kind: "StatefulSet" }];
  test.each<[string, Setup, string[]]>([
    ["all namespaces", {}, [pods]],
    ["some namespaces", { namespaces: ["a", "b"] }, ["/api/v1/namespaces/a/pods", "/api/v1/namespaces/b/pods"]],
    [
      "cluster-scoped kinds once",
      { namespaces: ["a", "b"], spec: { resources: [{ apiVersion: "v1", kind: "Node" }] } },
      ["/api/v1/nodes"],
    ],
    ["several kinds", { spec: { resources: podsAndSets } }, [pods, "/apis/apps/v1/statefulsets"].sort()],
    ["no kind whose plural is not the guessed one", { spec: { resources: [{ apiVersion: "v1", kind: "Poddy" }] } }, []],
  ])("%s", async (_, setup, watches) => expect((await setUp(setup)).api.watches()).toEqual(watches));

  test("label selectors go to the server", async () => {
    const selector = {
      matchLabels: { app: "db" },
      matchExpressions: [{ key: "tier", operator: "In", values: ["a", "b"] }],
    };
    const { api } = await setUp({ spec: { resources: [{ apiVersion: "v1", kind: "Pod", selector }] } });
    const query = new URLSearchParams(api.requests.at(-1)?.split("?")[1]);
    expect(query.get("labelSelector")).toBe("app=db,tier in (a,b)");
  });

  test("owner keeps only what such a controller owns", async () => {
    const { api, clock, seen } = await setUp({ spec: { owner: { apiVersion: "apps/v1", kind: "StatefulSet" } } });
    const owned = (controller: boolean, kind = "StatefulSet") => ({
      ownerReferences: [{ apiVersion: "apps/v1", kind, name: "o", uid: "o", controller }],
    });
    api.change(pods, "ADDED", pod("free"));
    api.change(pods, "ADDED", pod("referred", owned(false)));
    api.change(pods, "ADDED", pod("other", owned(true, "ReplicaSet")));
    api.change(pods, "ADDED", pod("mine", owned(true)));
    await clock.settle();
    expect(seen()).toEqual([["add", "shop/mine", 0]]);
  });

  test("filters decide at the source", async () => {
    const { api, clock, seen } = await setUp({ spec: { filters: [{ suffix: { type: ".delete" } }] } });
    api.change(pods, "MODIFIED", pod("a"));
    api.change(pods, "DELETED", pod("a"));
    await clock.settle();
    expect(seen()).toEqual([["delete", "shop/a", 0]]);
  });

  test("a group that is not served is looked for again as a crashing container is started again", async () => {
    const { api, clock, reports } = await setUp({ spec: { resources: [{ apiVersion: "nope.io/v1", kind: "Thing" }] } });
    await clock.advance(29_000);
    expect(api.requests).toEqual(Array(3).fill("/apis/nope.io/v1"));
    expect(reports[0]).toContain("404");
  });
});

describe("sends are serial", () => {
  test("within a watch: a slow sink holds up what follows, and other watches go on", async () => {
    const { api, clock, arrivals, seen } = await setUp({ spec: { resources: podsAndNodes }, replies: [503, 204] });
    api.change(pods, "MODIFIED", pod("a"));
    await clock.settle();
    api.change(pods, "MODIFIED", pod("b"));
    api.change("/api/v1/nodes", "MODIFIED", object("Node", "n0"));
    await clock.advance(1000);
    expect(arrivals).toHaveLength(4);
    expect(seen()).toEqual([
      ["update", "shop/a", 0],
      ["update", "/n0", 0],
      ["update", "shop/a", 100],
      ["update", "shop/b", 100],
    ]);
  });
});

describe("a sink that fails", () => {
  test.each([404, 413, 425, 429, 502, 503, 504, new Error("refused")])(
    "with %s is tried six times, then the event is dropped",
    async (reply) => {
      const { api, clock, arrivals, hops } = await setUp({ replies: [reply] });
      api.change(pods, "MODIFIED", pod("a"));
      await clock.advance(60_000);
      expect(arrivals.map(({ at }) => at)).toEqual([0, 100, 300, 700, 1500, 3100]);
      expect(new Set(arrivals.map(({ request }) => request.headers["ce-id"])).size).toBe(1);
      expect(hops.filter(({ hop }) => hop === "dropped")).toMatchObject([{ message: "six tries failed" }]);
    },
  );

  test.each([500, 501, 400, 401, 403, 408, 409, 422, 301])("with %d is not tried again", async (status) => {
    const { api, clock, arrivals, hops } = await setUp({ replies: [status, 204] });
    api.change(pods, "MODIFIED", pod("a"));
    api.change(pods, "MODIFIED", pod("b"));
    await clock.advance(60_000);
    expect(arrivals.map(({ request }) => request.headers["ce-name"])).toEqual(["a", "b"]);
    expect(hops.filter(({ hop }) => hop === "dropped")).toMatchObject([{ event: { name: "a" } }]);
  });

  test("is not asked when it would like to be: Retry-After is ignored", async () => {
    const { api, clock, arrivals } = await setUp({ replies: [{ status: 503, headers: { "retry-after": "2" } }, 204] });
    api.change(pods, "MODIFIED", pod("a"));
    await clock.advance(60_000);
    expect(arrivals.map(({ at }) => at)).toEqual([0, 100]);
  });
});

describe("a watch that ends", () => {
  test("cleanly is taken up at the last version seen: nothing is lost", async () => {
    const { api, clock, hops } = await setUp();
    api.change(pods, "MODIFIED", pod("a", { resourceVersion: "105" }));
    await clock.settle();
    api.end("closed");
    await clock.settle();
    expect(api.requests.at(-1)).toContain("resourceVersion=105");
    expect(gapsOf(hops)).toEqual([]);
  });

  test.each<[string, number | Error]>([
    ["with 410", 410],
    ["broken", new Error("socket hang up")],
  ])("%s begins again with the present: what happened in between is lost", async (_, how) => {
    const { api, clock, hops, seen } = await setUp();
    api.end(how);
    await clock.settle();
    expect(api.change(pods, "DELETED", pod("lost"))).toBe(false);
    await clock.advance(2000);
    expect(api.requests.at(-1)).toContain("resourceVersion=100");
    api.change(pods, "ADDED", pod("seen"));
    await clock.settle();
    expect(seen().map(([, name]) => name)).toEqual(["shop/seen"]);
    expect(gapsOf(hops)).toHaveLength(1);
  });

  test("because the server is down is asked for again from the same version", async () => {
    const { api, clock, hops } = await setUp();
    api.change(pods, "MODIFIED", pod("a", { resourceVersion: "105" }));
    await clock.settle();
    api.refuse(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }));
    api.end("closed");
    await clock.advance(10_000);
    api.refuse(undefined);
    await clock.advance(60_000);
    expect(api.requests.at(-1)).toContain("resourceVersion=105");
    expect(gapsOf(hops)).toEqual([]);
  });

  test("because its connection has died unnoticed is given up, and taken up where it was", async () => {
    const { api, clock, hops } = await setUp({ watchSeconds: 300 });
    api.change(pods, "MODIFIED", pod("a", { resourceVersion: "105" }));
    await clock.advance(309_000);
    const before = api.requests.length;
    await clock.advance(2000);
    expect(api.requests.slice(before)).toEqual([expect.stringMatching(/resourceVersion=105&timeoutSeconds=300/)]);
    expect(api.watches()).toEqual([pods]);
    expect(gapsOf(hops)).toEqual([]);
  });

  test("can be made to expire", async () => {
    const { api, clock, hops, source } = await setUp();
    source.expire();
    await clock.settle();
    expect(api.watches()).toEqual([]);
    await clock.advance(2000);
    expect(api.watches()).toEqual([pods]);
    expect(hops).toMatchObject([{ hop: "gap", message: "410 Gone was asked for" }]);
  });
});

describe("a source that is started again", () => {
  test("misses what happens meanwhile and drops what it was sending", async () => {
    const { api, clock, hops, seen, source } = await setUp({ replies: [503, 503, 204] });
    api.change(pods, "MODIFIED", pod("a"));
    await clock.advance(50);
    source.restart(5000);
    await clock.settle();
    expect(api.watches()).toEqual([]);
    await clock.advance(5000);
    expect(api.watches()).toEqual([pods]);
    api.change(pods, "MODIFIED", pod("b"));
    await clock.advance(1000);
    expect(seen().map(([, name]) => name)).toEqual(["shop/a", "shop/b", "shop/b"]);
    expect(hops.filter(({ hop }) => hop === "dropped")).toMatchObject([{ message: "the source was stopped" }]);
    expect(gapsOf(hops)).toHaveLength(1);
  });

  test("ends with its signal", async () => {
    const { api, clock, ended } = await setUp();
    ended.abort(new Error("over"));
    await clock.settle();
    expect(api.watches()).toEqual([]);
    const count = api.requests.length;
    await clock.advance(600_000);
    expect(api.requests).toHaveLength(count);
  });

  test("begins again at the end of any watch when permissions are not checked", async () => {
    const { api, clock, hops, reports } = await setUp({
      annotations: { "features.knative.dev/apiserversource-skip-permissions-check": "true" },
      spec: { resources: podsAndNodes },
    });
    api.end("closed");
    await clock.settle();
    expect(hops[0]).toMatchObject({ hop: "trouble", message: "the watch was closed by the server" });
    expect(api.watches()).toEqual(["/api/v1/nodes", pods]);
    api.end("closed");
    await clock.settle();
    expect(api.watches()).toEqual([]);
    await clock.advance(10_000);
    expect(api.watches()).toEqual(["/api/v1/nodes", pods]);
    expect(reports.at(-1)).toBeUndefined();
  });
});

describe("faults at the source", () => {
  test("drop, double, delay and reorder events", async () => {
    const fates: Record<string, number[]> = { a: [], b: [0, 50], c: [100] };
    const { api, clock, seen, hops } = await setUp({ faults: { source: ({ name }) => fates[name ?? ""] ?? [0] } });
    for (const name of ["a", "b", "c", "d"]) api.change(pods, "MODIFIED", pod(name));
    await clock.advance(1000);
    expect(seen().map(([, name, at]) => [name, at])).toEqual([
      ["shop/b", 0],
      ["shop/d", 0],
      ["shop/b", 50],
      ["shop/c", 100],
    ]);
    expect(hops.filter(({ hop }) => hop === "dropped")).toHaveLength(1);
  });
});

test("the same random numbers give the same events at the same times", async () => {
  const run = async () => {
    const { api, clock, arrivals } = await setUp({ replies: [503, 204], draw: 7 });
    api.change(pods, "MODIFIED", pod("a"));
    await clock.advance(50);
    api.end(410);
    await clock.advance(10_000);
    api.change(pods, "MODIFIED", pod("b"));
    await clock.advance(1000);
    return { arrivals, requests: api.requests };
  };
  expect(await run()).toEqual(await run());
});
