import { describe, expect, test } from "vitest";
import { type Broker, type BrokerOptions, createBroker } from "../../../eventing/broker/broker.ts";
import { policyFor } from "../../../eventing/delivery/policy.ts";
import type { PostTools } from "../../../eventing/delivery/post.ts";
import { timestamp } from "../../../eventing/event/timestamp.ts";
import type { Filter } from "../../../eventing/filter/filter.ts";
import { readPingSource } from "../../../eventing/manifest/ping-source.ts";
import { seededRandom } from "../../../eventing/random.ts";
import { changeEvent, type WatchedChange } from "../../../eventing/source/change-event.ts";
import { emit } from "../../../eventing/source/emit.ts";
import { runPingSource } from "../../../eventing/source/ping-source.ts";
import { type Arrival, type Reply, subscribers } from "../../../eventing/testing/subscribers.ts";
import { deadLetter } from "../../../functions/platform/dead-letter/declaration.ts";
import { recordDeadLetters } from "../../../functions/platform/dead-letter/record.ts";
import { deliver } from "../../../functions/platform/sweep/deliver.ts";
import { onTick } from "../../../functions/platform/sweep/on-tick.ts";
import { createApiServer } from "../../../local/apiserver/server.ts";
import { outcomeOf } from "../../../local/time/testing/outcome-of.ts";
import { virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { readHint } from "../../../shared/event/read-hint.ts";
import { createClient } from "../../../shared/kubernetes/client.ts";
import { ConfigMap, Event, PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readSettings } from "../../../shared/settings.ts";
import { staleSubscribers } from "../../harness/faults/stale-subscribers.ts";
import { attributesOf, type Recorded, recordings, requestOf, textOf } from "./recorded.ts";

const find = (all: readonly Recorded[], name: string) => {
  const found = all.find(({ recorded }) => recorded === name);
  if (!found) throw new Error(`There is no recording ${name}.`);
  return found;
};
const headersBut = ({ headers }: Pick<Recorded, "headers">, ...without: readonly string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !without.includes(name)));

describe("a source", () => {
  const verbs: Record<string, WatchedChange> = { add: "ADDED", update: "MODIFIED", delete: "DELETED" };
  const changes = recordings("sources").filter(({ headers }) => headers["ce-type"]?.includes("apiserver"));

  test.each(changes.map((recorded) => [recorded.recorded, recorded] as const))(
    "sends %s as Knative's",
    async (_, recorded) => {
      const { headers, url } = recorded;
      const [, , , family, verb = ""] = (headers["ce-type"] ?? "").split(".");
      // In mode Reference the event names the object and carries no more of it.
      const mode = family === "ref" ? "Reference" : "Resource";
      const body = recorded.body as KubernetesObject & { name?: string; namespace?: string };
      const { name = "", namespace } = body;
      const object = family === "ref" ? { ...body, metadata: { name, ...(namespace ? { namespace } : {}) } } : body;
      const event = changeEvent(verbs[verb]!, object as KubernetesObject, mode, headers["ce-source"] ?? "");
      const clock = virtualClock();
      const { send, arrivals } = subscribers(clock);
      // What the source said under ceOverrides.
      const extensions: Record<string, string> = recorded.recorded.includes("overrides") ? { cluster: "test" } : {};
      const emitter = { by: "source", namespace: headers["kn-namespace"] ?? "", sink: url, extensions };
      await emit({ clock, random: seededRandom(1), send }, emitter, event, new AbortController().signal);
      const [arrival] = arrivals;
      const fresh = ["ce-id", "ce-time"];
      expect(headersBut(arrival!.request, ...fresh)).toEqual(headersBut(recorded, ...fresh));
      for (const { "ce-id": id, "ce-time": time } of [headers, arrival!.request.headers]) {
        expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
        expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
      }
      expect(JSON.parse(arrival!.request.body)).toEqual(recorded.body);
    },
  );

  test.each(["ping", "ping-json-ping", "ping-text-ping"])("sends %s as Knative's", async (name) => {
    const recorded = find(recordings("sources"), name);
    const clock = virtualClock();
    const { send, arrivals } = subscribers(clock);
    const [, , , , namespace = "", , source = ""] = (recorded.headers["ce-source"] ?? "").split("/");
    const contentType = recorded.headers["content-type"] ?? "";
    const data = recorded.body === "" ? {} : { data: textOf(recorded), contentType };
    const spec = { schedule: "* * * * *", sink: { uri: recorded.url }, ...data };
    const metadata = { namespace, name: source } as KubernetesObject["metadata"];
    const plan = readPingSource({ apiVersion: "sources.knative.dev/v1", kind: "PingSource", metadata, spec });
    const ended = new AbortController();
    void runPingSource(plan, recorded.url, { clock, random: seededRandom(1), send }, ended.signal);
    await clock.advance(61_000);
    ended.abort(new Error("over"));
    const fresh = ["ce-id", "ce-time"];
    expect(headersBut(arrivals[0]!.request, ...fresh)).toEqual(headersBut(recorded, ...fresh));
    expect(arrivals[0]?.request.body).toBe(textOf(recorded));
  });
});

/** A broker of the namespace holdfast with one Trigger, and what it sent. */
function broker(
  replies: Record<string, Reply[]>,
  function_: string,
  create: (options: BrokerOptions, tools: PostTools) => Broker = createBroker,
  filter: Filter = ({ kind }) => kind === "PersistentVolumeClaim",
) {
  const clock = virtualClock(Date.parse("2026-11-22T06:38:54.196Z"));
  const { send, arrivals } = subscribers(clock, replies);
  const url = "http://broker-ingress.knative-eventing.svc.cluster.local/holdfast/storage";
  const made = create({ namespace: "holdfast", name: "storage", url, async: false }, { clock, send });
  made.subscribe([
    {
      namespace: "holdfast",
      name: "a-trigger",
      filter,
      subscriber: `http://${function_}.holdfast.svc.cluster.local`,
      policy: policyFor({ retry: 5, backoffPolicy: "exponential", backoffDelay: 500, timeout: 310_000 }, undefined),
      deadLetterSink: "http://platform-dead-letter.holdfast.svc.cluster.local",
    },
  ]);
  return {
    clock,
    arrivals,
    async take(recorded: Recorded): Promise<number> {
      // What the ingress is sent is what the channel has without what the ingress adds.
      const headers = headersBut(
        recorded,
        "ce-knativearrivaltime",
        "ce-knativebrokerttl",
        "prefer",
        "ce-knativeerrorcode",
        "ce-knativeerrordata",
        "ce-knativeerrordest",
      );
      const { status } = await outcomeOf(clock, made.receive({ headers, body: textOf(recorded) }), 60_000);
      return status;
    },
  };
}

const to = (arrivals: readonly Arrival[], service: string) =>
  arrivals.filter(({ url }) => new URL(url).hostname.startsWith(`${service}.`)).map(({ request }) => request);

describe("a broker", () => {
  test("sends an event to a function with the headers that Knative's sends", async () => {
    const gateway = find(recordings("hops"), "hop-gateway");
    const { take, arrivals, clock } = broker({}, "pvc-protection-release");
    expect(await take(find(recordings("hops"), "hop-channel"))).toBe(202);
    const [request, ...more] = to(arrivals, "pvc-protection-release");
    expect(more).toEqual([]);
    expect(request).toEqual({
      headers: { ...gateway.headers, "ce-knativearrivaltime": timestamp(clock.now()) },
      body: textOf(gateway),
    });
  });

  test.each([
    ["dead-letter-403", "pvc-protection-protect", 403, 1],
    ["dead-letter-503", "pvc-protection-warn", 503, 6],
  ])(
    "sends %s after as many attempts with the attributes that Knative's sends",
    async (name, function_, status, attempts) => {
      const recorded = find(recordings("dead-letters"), name);
      const body = Buffer.from(recorded.headers["ce-knativeerrordata"] ?? "", "base64").toString();
      const { take, arrivals } = broker(
        { [`http://${function_}.holdfast.svc.cluster.local`]: [{ status, body }] },
        function_,
      );
      await take(recorded);
      expect(to(arrivals, function_)).toHaveLength(attempts);
      const [request] = to(arrivals, "platform-dead-letter");
      expect(headersBut(request!, "ce-knativearrivaltime")).toEqual(headersBut(recorded, "ce-knativearrivaltime"));
    },
  );

  test("does not wait as long as a function asks for: its Retry-After changes nothing", async () => {
    const { reply, status = 0 } = find(recordings("hops"), "function-503");
    expect(reply?.headers["retry-after"]).toBe("1");
    const recorded = find(recordings("dead-letters"), "dead-letter-503");
    const { take, arrivals, clock } = broker(
      { "http://pvc-protection-warn.holdfast.svc.cluster.local": [{ status, ...reply }] },
      "pvc-protection-warn",
    );
    const began = clock.now();
    await take(recorded);
    // 0.5, 1, 2, 4 and 8 s.
    expect(clock.now() - began).toBe(15_500);
    const [request] = to(arrivals, "platform-dead-letter");
    expect(request?.headers["ce-knativeerrordata"]).toBe(recorded.headers["ce-knativeerrordata"]);
  });

  test("says of a function's 404 which function it was, in its filter's reply to the channel", async () => {
    const { status = 0, reply } = find(recordings("hops"), "filter-trigger-gone");
    const { errdestination, errresponsebody } = JSON.parse(reply?.body ?? "");
    const recorded = find(recordings("dead-letters"), "dead-letter-503");
    const body = Buffer.from(errresponsebody, "base64").toString();
    const { take, arrivals } = broker(
      { "http://pvc-protection-warn.holdfast.svc.cluster.local": [{ status, body }] },
      "pvc-protection-warn",
    );
    await take(recorded);
    expect(errdestination).toContain("http://");
    expect(to(arrivals, "pvc-protection-warn")).toHaveLength(6);
    expect(to(arrivals, "platform-dead-letter")[0]?.headers).toMatchObject({
      "ce-knativeerrordest": expect.stringMatching(/^http:/),
      "ce-knativeerrorcode": "404",
      "ce-knativeerrordata": errresponsebody,
    });
  });

  test("calls no function whose filters do not let the event pass, and is done with it", async () => {
    const recorded = find(recordings("hops"), "hop-filter-not-passed");
    expect(recorded.status).toBe(200);
    const { take, arrivals } = broker(
      {},
      "pvc-retention-set-owner",
      createBroker,
      ({ kind }) => kind === "StatefulSet",
    );
    expect(await take(recorded)).toBe(202);
    expect(arrivals).toEqual([]);
  });

  test(
    "sends what it has no Trigger for any more to the dead-letter sink after six attempts, " +
      "and says nothing of a function",
    async () => {
      const recorded = find(recordings("dead-letters"), "dead-letter-trigger-gone");
      const { take, arrivals, clock } = broker({}, "pvc-protection-release", staleSubscribers({ deleted: ["s404"] }));
      const began = clock.now();
      await take(recorded);
      // 0.5, 1, 2, 4 and 8 s.
      expect(clock.now() - began).toBe(15_500);
      const [request, ...more] = to(arrivals, "platform-dead-letter");
      expect(more).toEqual([]);
      expect(headersBut(request!, "ce-knativearrivaltime")).toEqual(headersBut(recorded, "ce-knativearrivaltime"));
      expect(to(arrivals, "pvc-protection-release")).toEqual([]);
    },
  );
});

describe("the functions", () => {
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  function cluster() {
    const clock = virtualClock();
    const client = createClient(createApiServer({ clock, random: seededRandom(1) }).handle, { clock });
    return { clock, client, tools: { client: () => client, clock, log: silent } };
  }

  test("read the object of an event that came through gateway, activator and queue-proxy", () => {
    const recorded = find(recordings("hops"), "hop-function");
    expect(recorded.headers).toHaveProperty("knative-serving-revision");
    expect(readHint(requestOf(recorded))).toMatchObject({
      change: "update",
      kind: "PersistentVolumeClaim",
      apiVersion: "v1",
      namespace: "shop",
      name: "data",
      object: recorded.body,
    });
  });

  test("read every change that a source reports", () => {
    for (const recorded of recordings("sources").filter(({ recorded }) => recorded.startsWith("source-"))) {
      const { kind, metadata } = recorded.body as KubernetesObject;
      expect(readHint(requestOf(recorded))).toMatchObject({ kind, name: metadata.name, object: recorded.body });
    }
  });

  test("take a tick for one", async () => {
    const { tools } = cluster();
    const settings = {
      namespace: "default",
      table: "none",
      rate: 1,
      tick: 1,
      tokens: "",
      sinkHosts: [],
      tokenHosts: [],
      deadLetters: "holdfast-dead-letters",
      staleChannels: "report" as const,
    };
    const { status } = await onTick({ ...tools, settings })(requestOf(find(recordings("sources"), "ping")));
    expect(status).toBe(204);
  });

  test("send the sweep's events as they were recorded", async () => {
    const [recorded] = recordings("sweep");
    const { clock } = cluster();
    const { send, arrivals } = subscribers(clock, { [recorded!.url]: [202] });
    const row = {
      rule: "a/b",
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      resource: "persistentvolumeclaims",
      namespaced: true,
      every: 1,
      excludedNamespaces: [],
      sink: recorded!.url,
    };
    const object = { metadata: { namespace: "shop", name: "denied", uid: "1" } };
    await deliver(row, object, "483f4380-c379-455c-a8dd-33e980500028", send, clock, clock.now() + 1000);
    expect(headersBut(arrivals[0]!.request, "ce-time")).toEqual(headersBut(recorded!, "ce-time"));
  });

  test("show a dead-lettered event on its object only where the broker says which function refused it", async () => {
    const { client, tools } = cluster();
    const settings = { ...readSettings(deadLetter.settings, {}), namespace: "default" };
    const handle = recordDeadLetters({ ...tools, settings });
    await client.request("POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const metadata = { namespace: "shop", name: "denied" } as KubernetesObject["metadata"];
    await client.create(PersistentVolumeClaim, { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec });
    const containers = [{ name: "c", image: "example/web" }];
    const plain = { namespace: "shop", name: "plain" } as KubernetesObject["metadata"];
    await client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata: plain, spec: { containers } });
    for (const recorded of recordings("dead-letters")) expect((await handle(requestOf(recorded))).status).toBe(204);
    const events = await Array.fromAsync(client.list<KubernetesObject & { regarding: { name: string } }>(Event));
    expect(events.map(({ regarding }) => regarding.name)).toEqual(["denied", "denied"].slice(0, events.length));
    expect(events.length).toBeGreaterThan(0);
    const ring = await client.get<KubernetesObject & { data: object }>(ConfigMap, "default", settings.configMap);
    const destinations = Object.values(ring?.data ?? {}).map((text) => JSON.parse(text as string).destination);
    expect(destinations.sort()).toEqual(["", "pvc-protection-protect.holdfast", "pvc-protection-warn.holdfast"]);
    expect(attributesOf(recordings("dead-letters")[2]!)).not.toHaveProperty("knativeerrordest");
  });
});
