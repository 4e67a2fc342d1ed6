import { describe, expect, test } from "vitest";
import { outcomeOf } from "../../local/time/testing/outcome-of.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import type { HttpRequest } from "../../shared/http-message.ts";
import { type Faults, fatedBrokers } from "../../test/harness/faults/fates.ts";
import { type DeliverySpec, policyFor } from "../delivery/policy.ts";
import { compileFilters, type FilterSpec } from "../filter/filter.ts";
import { type Reply, subscribers } from "../testing/subscribers.ts";
import type { Hop } from "../trace.ts";
import { createBroker } from "./broker.ts";

const subscriber = "http://release.shop.svc.cluster.local";
const deadLetterSink = "http://dead-letter.shop.svc.cluster.local";
const ingress = "http://broker-ingress/shop/workloads";

const event: HttpRequest = {
  headers: {
    "ce-specversion": "1.0",
    "ce-id": "e1",
    "ce-source": "/api",
    "ce-type": "dev.knative.apiserver.resource.update",
    "ce-kind": "Node",
    "ce-namespace": "",
    "content-type": "application/json",
    "kn-namespace": "elsewhere",
  },
  body: '{"kind":"Node"}',
};

const withHeaders = (more: Readonly<Record<string, string>>): HttpRequest => ({
  ...event,
  headers: { ...event.headers, ...more },
});
const taken = { status: 204, headers: {}, body: "" };

interface Setup {
  async?: boolean;
  delivery?: DeliverySpec;
  deadLetter?: boolean;
  filters?: FilterSpec[];
  faults?: Faults;
  triggers?: string[];
}

function setUp(replies: Record<string, Reply[]>, setup: Setup = {}) {
  const clock = virtualClock();
  const { send, arrivals } = subscribers(clock, replies);
  const hops: Hop[] = [];
  const create = setup.faults ? fatedBrokers(setup.faults) : createBroker;
  const broker = create(
    { namespace: "shop", name: "workloads", url: ingress, async: setup.async ?? false },
    { clock, send, trace: (hop) => hops.push(hop) },
  );
  broker.subscribe(
    (setup.triggers ?? ["release"]).map((name) => ({
      namespace: "shop",
      name,
      filter: compileFilters(setup.filters ?? []),
      subscriber: `http://${name}.shop.svc.cluster.local`,
      policy: policyFor(setup.delivery ?? {}, undefined),
      ...(setup.deadLetter ? { deadLetterSink } : {}),
    })),
  );
  const began = clock.now();
  /** Sends an event and returns the status and when it came, letting time pass. */
  function receive(request = event, signal?: AbortSignal): Promise<{ status: number; at: number }> {
    const answer = broker.receive(request, signal).then(
      ({ status }) => ({ status, at: clock.now() - began }),
      () => ({ status: 0, at: clock.now() - began }),
    );
    return outcomeOf(clock, answer, 3_600_000);
  }
  return { clock, broker, arrivals, hops, receive };
}

const dropped = (hops: Hop[]) => hops.filter(({ hop }) => hop === "dropped");

describe("what a subscriber is sent", () => {
  test(
    "is the event with its empty attributes, the arrival time and the Trigger's namespace, " +
      "without the time to live",
    async () => {
      const { arrivals, receive } = setUp({});
      const request = withHeaders({ "x-request-id": "r1", "x-other": "o", "knative-x": "k" });
      expect(await receive(request)).toEqual({ status: 202, at: 0 });
      const { headers, body } = withHeaders({
        "ce-knativearrivaltime": "2026-01-01T00:00:00Z",
        "kn-namespace": "shop",
        prefer: "reply",
        "x-request-id": "r1",
        "knative-x": "k",
      });
      expect(arrivals).toEqual([{ url: subscriber, at: 0, request: { headers, body } }]);
    },
  );

  test.each([{}, { format: "json" as const }])("is part of its sender's trace, %j", async (delivery) => {
    const { arrivals, receive } = setUp({}, { delivery });
    const trace = { traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`, tracestate: "a=b" };
    const ofEvent = `00-${"3".repeat(32)}-${"4".repeat(16)}-01`;
    await receive(withHeaders({ ...trace, "ce-traceparent": ofEvent }));
    const { headers = {}, body = "" } = arrivals[0]?.request ?? {};
    expect(headers).toMatchObject(trace);
    expect(delivery.format ? JSON.parse(body).traceparent : headers["ce-traceparent"]).toBe(ofEvent);
  });

  test("is one JSON document with format json", async () => {
    const { arrivals, receive } = setUp({}, { delivery: { format: "json" } });
    await receive();
    expect(arrivals[0]?.request.headers["content-type"]).toBe("application/cloudevents+json");
    const document = { id: "e1", namespace: "", data: { kind: "Node" } };
    expect(JSON.parse(arrivals[0]?.request.body ?? "")).toMatchObject(document);
  });

  test("is nothing when the filter does not let it pass", async () => {
    const { arrivals, receive, hops } = setUp({}, { filters: [{ exact: { kind: "Pod" } }] });
    expect((await receive()).status).toBe(202);
    expect(arrivals).toEqual([]);
    expect(hops.map(({ hop }) => hop)).toEqual(["accepted"]);
  });

  test("filters do not see the time to live", async () => {
    const { arrivals, receive } = setUp({}, { filters: [{ prefix: { knativebrokerttl: "2" } }] });
    await receive(withHeaders({ "ce-knativebrokerttl": "7" }));
    expect(arrivals).toEqual([]);
  });
});

describe("the ingress refuses", () => {
  test.each<[string, HttpRequest]>([
    ["what is no event", { headers: {}, body: "hello" }],
    ["an event without an id", withHeaders({ "ce-id": "" })],
    ["an event whose time to live is used up", withHeaders({ "ce-knativebrokerttl": "1" })],
  ])("%s with 400", async (_, request) => {
    const { arrivals, receive, hops } = setUp({});
    expect((await receive(request)).status).toBe(400);
    expect(arrivals).toEqual([]);
    expect(hops).toMatchObject([{ hop: "refused", by: "Broker shop/workloads" }]);
  });
});

describe("retries", () => {
  const delivery = { retry: 2, backoffPolicy: "exponential", backoffDelay: 1000 } as const;

  test.each([500, 501, 502, 503, 504, 599, 404, 408, 409, 429])("follow a %d", async (status) => {
    const { arrivals, receive } = setUp({ [subscriber]: [status] }, { delivery });
    expect(await receive()).toEqual({ status: 500, at: 3000 });
    expect(arrivals.map(({ at }) => at)).toEqual([0, 1000, 3000]);
  });

  test.each([400, 401, 403, 405, 410, 413, 422, 301, 304])("do not follow a %d", async (status) => {
    const { arrivals, receive } = setUp({ [subscriber]: [status] }, { delivery });
    expect(await receive()).toEqual({ status: 500, at: 0 });
    expect(arrivals).toHaveLength(1);
  });

  test("follow no answer, and end with the first success", async () => {
    const replies = [new Error("connection refused"), 503, 204];
    const { arrivals, receive, hops } = setUp({ [subscriber]: replies }, { delivery });
    expect(await receive()).toEqual({ status: 202, at: 3000 });
    expect(arrivals).toHaveLength(3);
    const attempts = hops.flatMap((hop) =>
      "attempt" in hop ? [[hop.hop, hop.attempt, hop.status, "retryIn" in hop && hop.retryIn]] : [],
    );
    expect(attempts).toEqual([
      ["failed", 1, 0, 1000],
      ["failed", 2, 503, 2000],
      ["delivered", 3, 204, false],
    ]);
  });

  test("are none where the Trigger's delivery has no retry", async () => {
    const { arrivals, receive } = setUp({ [subscriber]: [503] }, { delivery: { timeout: 1000 } });
    expect((await receive()).status).toBe(500);
    expect(arrivals).toHaveLength(1);
  });

  test("follow one another at once the first time when linear", async () => {
    const linear = { ...delivery, backoffPolicy: "linear" } as const;
    const { arrivals, receive } = setUp({ [subscriber]: [503] }, { delivery: linear });
    await receive();
    expect(arrivals.map(({ at }) => at)).toEqual([0, 0, 1000]);
  });

  const patient = { ...delivery, retryAfterMax: 60_000 };
  const busy = { status: 429, headers: { "retry-after": "5" } };
  test.each<[string, Reply, DeliverySpec, number]>([
    ["is ignored by default", busy, delivery, 1000],
    ["is honoured up to retryAfterMax", busy, { ...delivery, retryAfterMax: 3000 }, 3000],
    ["is honoured when it is less", busy, patient, 5000],
    ["never shortens the wait", { ...busy, headers: { "retry-after": "0" } }, patient, 1000],
    ["is ignored on other codes", { ...busy, status: 409 }, patient, 1000],
    ["may be a date", { status: 503, headers: { "retry-after": "Thu, 01 Jan 2026 00:00:04 GMT" } }, patient, 4000],
  ])("Retry-After %s", async (_, reply, spec, second) => {
    const { arrivals, receive } = setUp({ [subscriber]: [reply, 204] }, { delivery: spec });
    await receive();
    expect(arrivals[1]?.at).toBe(second);
  });
});

describe("a timeout", () => {
  test("sends the event again while the first run still executes", async () => {
    const running: string[] = [];
    const { clock, receive } = setUp(
      {
        [subscriber]: [
          async () => {
            running.push("first begins");
            await clock.sleep(5000);
            running.push("first ends");
            return taken;
          },
          async () => {
            running.push("second");
            return taken;
          },
        ],
      },
      { delivery: { retry: 1, timeout: 1000 } },
    );
    expect(await receive()).toEqual({ status: 202, at: 1000 });
    await clock.advance(10_000);
    expect(running).toEqual(["first begins", "second", "first ends"]);
  });

  test("aborts the request", async () => {
    const seen: boolean[] = [];
    const { clock, receive } = setUp(
      {
        [subscriber]: [
          (_, signal) =>
            clock.sleep(60_000, signal).then(
              () => taken,
              (error) => {
                seen.push(signal?.aborted ?? false);
                throw error;
              },
            ),
        ],
      },
      { delivery: { timeout: 1000 }, deadLetter: true },
    );
    expect(await receive()).toEqual({ status: 202, at: 1000 });
    expect(seen).toEqual([true]);
  });
});

describe("the body of a success", () => {
  test("that is no CloudEvent makes it a 502, which is retried", async () => {
    const stray = { status: 200, body: "ok", headers: { "content-type": "text/plain" } };
    const { arrivals, receive, hops } = setUp({ [subscriber]: [stray, 204] }, { delivery: { retry: 1 } });
    expect((await receive()).status).toBe(202);
    expect(arrivals).toHaveLength(2);
    expect(hops).toMatchObject([{}, {}, { hop: "failed", status: 502 }, { hop: "delivered", status: 204 }]);
  });

  test("that claims to be a CloudEvent and is none makes it a 502 too", async () => {
    const broken = { status: 200, body: "{", headers: { "content-type": "application/cloudevents+json" } };
    const { receive } = setUp({ [subscriber]: [broken] });
    expect((await receive()).status).toBe(500);
  });

  const reply = (type: string, change: Record<string, string> = {}) => ({
    status: 200,
    headers: { "ce-specversion": "1.0", "ce-id": "r1", "ce-source": "/f", "ce-type": type, ...change },
    body: "",
  });

  test("that is a CloudEvent goes back to the broker, one time less to live", async () => {
    const { arrivals, receive, hops } = setUp(
      { [subscriber]: [reply("done"), 204] },
      { filters: [{ prefix: { type: "d" } }] },
    );
    expect((await receive()).status).toBe(202);
    expect(arrivals.map(({ request }) => request.headers["ce-type"])).toEqual([
      "dev.knative.apiserver.resource.update",
      "done",
    ]);
    expect(hops.map(({ hop }) => hop)).toContain("replied");
  });

  test("goes round until its time to live is used up", async () => {
    const { arrivals, receive, hops } = setUp({ [subscriber]: [reply("again")] }, { deadLetter: true });
    await receive();
    expect(arrivals.filter(({ url }) => url === subscriber)).toHaveLength(255);
    expect(hops.filter(({ hop }) => hop === "refused")).toHaveLength(1);
    expect(arrivals.find(({ url }) => url === deadLetterSink)?.request.headers).toMatchObject({
      "ce-knativeerrordest": ingress,
      "ce-knativeerrorcode": "400",
    });
  });

  test("that lacks what an event needs is refused by the broker", async () => {
    const { receive } = setUp({ [subscriber]: [reply("done", { "ce-id": "" })] });
    expect((await receive()).status).toBe(500);
  });

  test("that the broker refuses is dead-lettered without what was handed on to the subscriber", async () => {
    const sinkHeaders = async (answer: Reply) => {
      const { arrivals, receive } = setUp({ [subscriber]: [answer] }, { deadLetter: true });
      await receive(withHeaders({ "x-request-id": "r1", "knative-x": "k" }));
      return arrivals.find(({ url }) => url === deadLetterSink)?.request.headers;
    };
    expect(await sinkHeaders(reply("done", { "ce-id": "" }))).not.toHaveProperty("x-request-id");
    expect(await sinkHeaders(403)).toMatchObject({ "x-request-id": "r1", "knative-x": "k" });
  });

  test.each([
    [{}, "text/plain; charset=utf-8"],
    [{ datacontenttype: "application/json" }, "application/json"],
  ])("in structured mode with %j goes back as %s", async (declared, expected) => {
    const context = { specversion: "1.0", id: "r1", source: "/f", type: "done", ...declared };
    const structured = {
      headers: { "content-type": "application/cloudevents+json" },
      body: JSON.stringify({ ...context, data: { a: 1 } }),
    };
    const { arrivals, receive } = setUp({ [subscriber]: [structured, 204] });
    await receive();
    expect(arrivals[1]?.request).toMatchObject({ headers: { "content-type": expected }, body: '{"a":1}' });
  });
});

describe("the dead-letter sink", () => {
  test("is sent the event with what went wrong, and its success is ours", async () => {
    const { arrivals, receive, hops } = setUp(
      { [subscriber]: [{ status: 403, body: "x".repeat(768) }] },
      { deadLetter: true },
    );
    expect((await receive()).status).toBe(202);
    const headers = arrivals[1]?.request.headers ?? {};
    expect(headers).toMatchObject({
      "ce-id": "e1",
      "ce-knativeerrordest": subscriber,
      "ce-knativeerrorcode": "403",
      "ce-knativebrokerttl": "255",
      "kn-namespace": "shop",
    });
    expect(headers["ce-knativeerrordata"]).toHaveLength(1024);
    expect(Buffer.from(headers["ce-knativeerrordata"] ?? "", "base64").toString()).toBe("x".repeat(768));
    expect(headers).not.toHaveProperty("prefer");
    expect(arrivals[1]?.request.body).toBe('{"kind":"Node"}');
    expect(dropped(hops)).toEqual([]);
  });

  test.each<[string, Reply, DeliverySpec, string | undefined]>([
    ["no connection counts as 500", new Error("connection refused"), {}, "500"],
    ["a stray body leaves no trace", { status: 200, body: "ok" }, {}, undefined],
    ["a timeout leaves no trace", () => new Promise(() => {}), { timeout: 10 }, undefined],
  ])("%s", async (_, reply, delivery, code) => {
    const { arrivals, receive } = setUp({ [subscriber]: [reply] }, { delivery, deadLetter: true });
    expect((await receive()).status).toBe(202);
    expect(arrivals[1]?.request.headers["ce-knativeerrorcode"]).toBe(code);
  });

  test.each([768, 769])("a reply of %d bytes is cut off", async (length) => {
    const replies = { [subscriber]: [{ status: 403, body: "x".repeat(length) }] };
    const { receive, arrivals } = setUp(replies, { deadLetter: true });
    await receive();
    expect(arrivals[1]?.request.headers["ce-knativeerrordata"]).toHaveLength(1024);
  });

  test("is tried as often as the subscriber; then the event is lost and the sender gets a 500", async () => {
    const delivery = { retry: 1, backoffPolicy: "exponential", backoffDelay: 1000 } as const;
    const { arrivals, receive, hops } = setUp(
      { [subscriber]: [503], [deadLetterSink]: [503] },
      { delivery, deadLetter: true },
    );
    expect(await receive()).toEqual({ status: 500, at: 2000 });
    expect(arrivals.map(({ url }) => url)).toEqual([subscriber, subscriber, deadLetterSink, deadLetterSink]);
    expect(dropped(hops)).toMatchObject([{ by: "Trigger shop/release" }]);
  });

  test("may answer with any body", async () => {
    const { receive } = setUp(
      { [subscriber]: [403], [deadLetterSink]: [{ status: 200, body: "ok" }] },
      { deadLetter: true },
    );
    expect((await receive()).status).toBe(202);
  });
});

describe("a synchronous broker", () => {
  const slow =
    (clock: () => ReturnType<typeof virtualClock>, ms: number): Reply =>
    async () => {
      await clock().sleep(ms);
      return { status: 204, headers: {}, body: "" };
    };

  test("answers when the last of its subscribers is done, all of them working at once", async () => {
    const world: ReturnType<typeof setUp> = setUp(
      {
        "http://a.shop.svc.cluster.local": [slow(() => world.clock, 3000)],
        "http://b.shop.svc.cluster.local": [slow(() => world.clock, 8000)],
      },
      { triggers: ["a", "b"] },
    );
    expect(await world.receive()).toEqual({ status: 202, at: 8000 });
    expect(world.arrivals.map(({ at }) => at)).toEqual([0, 0]);
  });

  test("answers 500 when one of them fails for good", async () => {
    const { receive } = setUp({ "http://a.shop.svc.cluster.local": [403] }, { triggers: ["a", "b"] });
    expect((await receive()).status).toBe(500);
  });

  test("gives up after 15 minutes", async () => {
    const { receive } = setUp({ [subscriber]: [() => new Promise(() => {})] });
    expect(await receive()).toEqual({ status: 500, at: 900_000 });
  });

  test("cancels what is pending when the sender goes away", async () => {
    const { clock, broker, receive, arrivals, hops } = setUp(
      { [subscriber]: [503] },
      { delivery: { retry: 5, backoffPolicy: "linear", backoffDelay: 1000 } },
    );
    const sender = new AbortController();
    clock.sleep(1500).then(() => sender.abort());
    expect(await receive(event, sender.signal)).toEqual({ status: 0, at: 1500 });
    await clock.advance(60_000);
    expect(arrivals).toHaveLength(3);
    expect(broker.pending()).toBe(0);
    expect(dropped(hops)).toMatchObject([{ message: "the sender went away" }]);
  });
});

describe("an asynchronous broker", () => {
  test("answers at once and goes on when the sender has gone", async () => {
    const { clock, broker, receive, arrivals } = setUp(
      { [subscriber]: [503, 204] },
      { async: true, delivery: { retry: 1, backoffPolicy: "exponential", backoffDelay: 1000 } },
    );
    const sender = new AbortController();
    expect(await receive(event, sender.signal)).toEqual({ status: 202, at: 0 });
    sender.abort();
    expect(broker.pending()).toBe(1);
    await clock.advance(1000);
    expect(arrivals.map(({ at }) => at)).toEqual([0, 1000]);
    expect(broker.pending()).toBe(0);
  });
});

describe("a broker that is stopped", () => {
  test.each([true, false])("loses what is waiting (async: %s), refuses what comes, and begins empty", async (async) => {
    const { clock, broker, receive, arrivals, hops } = setUp(
      { [subscriber]: [503] },
      { async, delivery: { retry: 5, backoffPolicy: "exponential", backoffDelay: 1000 } },
    );
    clock.sleep(500).then(() => broker.stop());
    await receive();
    await clock.advance(60_000);
    expect(arrivals).toHaveLength(1);
    expect(dropped(hops)).toHaveLength(1);
    expect((await receive()).status).toBe(0);
    broker.start();
    await clock.advance(60_000);
    expect(arrivals).toHaveLength(1);
  });
});

describe("faults", () => {
  const fated = (fates: Record<string, number[]>): Faults => ({ broker: ({ id }) => fates[id ?? ""] ?? [0] });
  const named = (id: string) => withHeaders({ "ce-id": id });

  test("drop, double, delay and reorder deliveries", async () => {
    const { clock, broker, arrivals, hops } = setUp({}, { faults: fated({ a: [], b: [0, 50], c: [100], d: [20] }) });
    for (const id of ["a", "b", "c", "d", "e"]) void broker.receive(named(id));
    await clock.advance(1000);
    expect(arrivals.map(({ request, at }) => [request.headers["ce-id"], at])).toEqual([
      ["b", 0],
      ["e", 0],
      ["d", 20],
      ["b", 50],
      ["c", 100],
    ]);
    expect(dropped(hops)).toMatchObject([{ event: { id: "a" }, message: "a fault was asked for" }]);
  });
});
