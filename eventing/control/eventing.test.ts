import { describe, expect, test } from "vitest";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import type { HttpResponse } from "../../shared/http-message.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Features } from "../features.ts";
import { seededRandom } from "../random.ts";
import { object, scriptedApi } from "../testing/api.ts";
import { type Reply, subscribers } from "../testing/subscribers.ts";
import type { Hop } from "../trace.ts";
import { createEventing } from "./eventing.ts";

const ingress = "http://broker-ingress";

function setUp(replies: Record<string, Reply[]> = {}, features: Partial<Features> = {}) {
  const clock = virtualClock();
  const api = scriptedApi({ v1: ["pods"] });
  const hops: Hop[] = [];
  const { send, arrivals } = subscribers(clock, replies);
  const eventing = createEventing({
    tools: {
      client: createClient(api.transport, { clock }),
      transport: api.transport,
      clock,
      random: seededRandom(1),
      signal: new AbortController().signal,
      send,
      trace: (hop) => hops.push(hop),
      server: "https://server",
    },
    ingress,
    resolve: ({ kind, namespace, name }) => (kind === "Service" ? `http://${name}.${namespace}` : undefined),
    features,
  });
  return { clock, api, hops, arrivals, eventing };
}

const broker = (name: string, async = false, spec: object = {}): KubernetesObject => ({
  apiVersion: "eventing.knative.dev/v1",
  kind: "Broker",
  metadata: {
    name,
    namespace: "shop",
    uid: name,
    resourceVersion: "1",
    annotations: { "messaging.knative.dev/async-handler": String(async) },
  },
  spec,
});

const trigger = (name: string, brokerName: string, spec: object = {}): KubernetesObject => ({
  apiVersion: "eventing.knative.dev/v1",
  kind: "Trigger",
  metadata: { name, namespace: "shop", uid: name, resourceVersion: "1" },
  spec: { broker: brokerName, subscriber: { uri: `http://${name}` }, ...spec },
});

const source = (spec: object = {}): KubernetesObject => ({
  apiVersion: "sources.knative.dev/v1",
  kind: "ApiServerSource",
  metadata: { name: "pods", namespace: "shop", uid: "pods", resourceVersion: "1" },
  spec: {
    resources: [{ apiVersion: "v1", kind: "Pod" }],
    sink: { ref: { apiVersion: "eventing.knative.dev/v1", kind: "Broker", name: "a" } },
    ...spec,
  },
});

const event = (id = "e1") => ({
  headers: { "ce-specversion": "1.0", "ce-id": id, "ce-source": "/s", "ce-type": "t" },
  body: "",
});

const status = (answer: { status: number }) => answer.status;

describe("declaring", () => {
  test("takes objects in any order, passes others over, and lets a later one stand for an earlier one", async () => {
    const { eventing, arrivals } = setUp();
    eventing.declare([object("Pod", "x", "shop"), trigger("f", "a"), broker("a")]);
    expect(await eventing.receive("/shop/a", event()).then(status)).toBe(202);
    eventing.declare([trigger("f", "a", { filters: [{ exact: { type: "other" } }] })]);
    await eventing.receive("/shop/a", event());
    expect(arrivals).toHaveLength(1);
  });

  test("the same again changes nothing: a source goes on", async () => {
    const { eventing, api, clock } = setUp();
    eventing.declare([broker("a"), source()]);
    await clock.settle();
    const requests = api.requests.length;
    const again = source();
    eventing.declare([{ ...again, metadata: { ...again.metadata, resourceVersion: "2" }, status: { conditions: [] } }]);
    eventing.refresh();
    await clock.settle();
    expect(api.requests).toHaveLength(requests);
  });

  test("a replaced object of the same name is another one", async () => {
    const { eventing, api, clock } = setUp();
    eventing.declare([broker("a"), source()]);
    await clock.settle();
    const requests = api.requests.length;
    const other = source();
    eventing.declare([{ ...other, metadata: { ...other.metadata, uid: "new" } }]);
    await clock.settle();
    expect(api.requests.length).toBeGreaterThan(requests);
    expect(api.watches()).toEqual(["/api/v1/namespaces/shop/pods"]);
  });

  test("withdrawing a broker loses what it holds and stops the sources that send to it", async () => {
    const { eventing, api, clock, hops } = setUp({ "http://f": [() => new Promise(() => {})] });
    eventing.declare([broker("a", true), trigger("f", "a"), source()]);
    await eventing.receive("/shop/a", event());
    await clock.settle();
    eventing.withdraw("Broker", "shop", "a");
    await clock.settle();
    expect(hops.filter(({ hop }) => hop === "dropped")).toHaveLength(1);
    expect(api.watches()).toEqual([]);
    expect(eventing.standing("ApiServerSource", "shop", "pods")).toMatchObject({
      sink: { problem: "Broker shop/a (eventing.knative.dev/v1) has no address" },
    });
  });

  test("whether a broker answers at once is settled when it begins, as in Knative", () => {
    const { eventing } = setUp();
    eventing.declare([broker("a", false)]);
    eventing.declare([broker("a", true)]);
    expect(eventing.broker("shop", "a")?.async).toBe(false);
    eventing.withdraw("Broker", "shop", "a");
    eventing.declare([broker("a", true)]);
    expect(eventing.broker("shop", "a")?.async).toBe(true);
  });

  test("what is not obeyed does not run, and says why", async () => {
    const { eventing } = setUp();
    eventing.declare([broker("a", false, { channel: {} }), trigger("f", "a")]);
    expect(await eventing.receive("/shop/a", event()).then(status)).toBe(404);
    expect(eventing.standing("Broker", "shop", "a")).toEqual({
      kind: "unobeyable",
      message: "Broker shop/a: spec.channel is not obeyed.",
    });
    expect(eventing.standing("Trigger", "shop", "f")).toMatchObject({ brokerProblem: { reason: "NotObeyed" } });
  });
});

describe("addresses", () => {
  test.each([
    [{ uri: "http://elsewhere/x" }, { url: "http://elsewhere/x" }],
    [{ ref: { apiVersion: "serving.knative.dev/v1", kind: "Service", name: "f" } }, { url: "http://f.shop" }],
    [
      { ref: { apiVersion: "serving.knative.dev/v1", kind: "Service", name: "f", namespace: "other" }, uri: "/path" },
      { url: "http://f.other/path" },
    ],
    [{ ref: { apiVersion: "eventing.knative.dev/v1", kind: "Broker", name: "a" } }, { url: `${ingress}/shop/a` }],
    [{ ref: { apiVersion: "v1", kind: "ConfigMap", name: "c" } }, { problem: "ConfigMap shop/c (v1) has no address" }],
  ])("%j", (subscriber, address) => {
    const { eventing } = setUp();
    eventing.declare([broker("a"), trigger("f", "a", { subscriber })]);
    expect(eventing.standing("Trigger", "shop", "f")).toMatchObject({ subscriber: address });
  });

  test("of brokers are reached without a detour, the others with the tools' send", async () => {
    const { eventing, arrivals } = setUp();
    eventing.declare([broker("a")]);
    expect(await eventing.send(`${ingress}/shop/a`, event()).then(status)).toBe(202);
    expect(await eventing.send("http://elsewhere", event()).then(status)).toBe(204);
    expect(arrivals.map(({ url }) => url)).toEqual(["http://elsewhere"]);
  });
});

describe("delivery", () => {
  const deadLetterSink = { uri: "http://dead" };

  test("of a Trigger without one is the Broker's", async () => {
    const { eventing, arrivals } = setUp({ "http://f": [503] });
    eventing.declare([broker("a", false, { delivery: { retry: 2, deadLetterSink } }), trigger("f", "a")]);
    await eventing.receive("/shop/a", event());
    expect(arrivals.map(({ url }) => url)).toEqual(["http://f", "http://f", "http://f", "http://dead"]);
  });

  test("of a Trigger takes only the dead-letter sink from the Broker's", async () => {
    const { eventing, arrivals } = setUp({ "http://f": [503] });
    const delivery = { timeout: "PT1S" };
    eventing.declare([broker("a", false, { delivery: { retry: 2, deadLetterSink } }), trigger("f", "a", { delivery })]);
    await eventing.receive("/shop/a", event());
    expect(arrivals.map(({ url }) => url)).toEqual(["http://f", "http://dead"]);
  });

  test("holds a bounded number of bytes in all brokers until each subscriber has its event", async () => {
    const [one, other] = [Promise.withResolvers<HttpResponse>(), Promise.withResolvers<HttpResponse>()];
    const { eventing, clock } = setUp({ "http://f": [() => one.promise], "http://g": [() => other.promise] });
    eventing.declare([broker("a", true), broker("b", true)]);
    eventing.declare([trigger("f", "a"), trigger("g", "a"), trigger("h", "b"), trigger("i", "b")]);
    const send = (path: string, bytes: number) =>
      eventing.receive(path, { ...event(), body: "x".repeat(bytes) }).then(status);
    const large = 4 * 1024 * 1024;
    const statuses = await Promise.all(Array.from({ length: 100 }, () => send("/shop/a", large)));
    expect(statuses.filter((each) => each === 202)).toHaveLength(6);
    expect(statuses.at(-1)).toBe(503);
    expect(await send("/shop/b", large)).toBe(503);
    expect(await send("/shop/a", 1000)).toBe(202);
    one.resolve({ status: 204, headers: {}, body: "" });
    await clock.settle();
    // A subscriber that hangs holds its own share, and not that of those who have the event.
    expect(await send("/shop/a", large)).toBe(202);
    const further = await Promise.all(Array.from({ length: 100 }, () => send("/shop/a", large)));
    expect(further.at(-1)).toBe(503);
    other.resolve({ status: 204, headers: {}, body: "" });
    await clock.settle();
    expect(await send("/shop/a", large)).toBe(202);
  });
});
