import { beforeEach, expect, test } from "vitest";
import { type VirtualClock, virtualClock } from "../local/time/testing/virtual-clock.ts";
import type { HttpRequest } from "../shared/http-message.ts";
import { createClient } from "../shared/kubernetes/client.ts";
import { seededRandom } from "./random.ts";
import { startEventing } from "./start-eventing.ts";
import { object, type ScriptedApi, scriptedApi } from "./testing/api.ts";
import { podsSource } from "./testing/pods-source.ts";

const sweep = "http://platform-sweep.holdfast.svc";
const log = { debug() {}, info() {}, warn() {}, error() {} };
const schedule = {
  apiVersion: "sources.knative.dev/v1",
  kind: "PingSource",
  metadata: { name: "sweep", namespace: "holdfast", uid: "p", resourceVersion: "1" },
  spec: { schedule: "* * * * *", sink: { uri: sweep } },
};

let clock: VirtualClock;
let api: ScriptedApi;
let ticks: HttpRequest[];
/** How the sink of the sources answers. */
let answer: number;

beforeEach(() => {
  clock = virtualClock(Date.parse("2026-01-01T00:00:10Z"));
  api = scriptedApi({ v1: ["pods"] });
  ticks = [];
  answer = 202;
});

function start(): void {
  const { transport } = api;
  const send = async (url: string, request: HttpRequest) => {
    if (url.startsWith(sweep)) ticks.push(request);
    return { status: url.startsWith(sweep) ? 202 : answer, headers: {}, body: "" };
  };
  const tools = {
    client: createClient(transport, { clock }),
    transport,
    clock,
    random: seededRandom(1),
    signal: new AbortController().signal,
    server: "https://server",
    send,
  };
  startEventing({
    objects: [podsSource({ sink: { uri: "http://sink" } }), schedule],
    ingress: "http://ingress",
    tools,
    log,
  });
}

/** What the next event of the schedule says: since when no change has gone by unseen. */
async function next(): Promise<string | undefined> {
  ticks = [];
  await clock.advance(60_000);
  expect(ticks).toHaveLength(1);
  return ticks[0]?.headers["ce-unbrokensince"];
}

test("the schedule says since when the sources have watched, and that stays while nothing is lost", async () => {
  start();
  const first = await next();
  expect(first).toBe("2026-01-01T00:00:10.000Z");
  // A watch that ends and goes on where it was loses nothing.
  api.end("closed");
  expect([await next(), await next()]).toEqual([first, first]);
});

test("it says since when after a gap, and after an event that could not be delivered", async () => {
  start();
  await next();
  api.end(410);
  const gap = await next();
  expect(gap).toBe("2026-01-01T00:01:10.000Z");
  expect(await next()).toBe(gap);
  answer = 500;
  expect(api.change("/api/v1/namespaces/shop/pods", "ADDED", object("Pod", "web"))).toBe(true);
  expect(await next()).toBe("2026-01-01T00:03:10.000Z");
});

test("it says nothing before the sources watch", async () => {
  api.refuse(503);
  start();
  expect(await next()).toBeUndefined();
  api.refuse(undefined);
  await next();
  expect(await next()).toMatch(/^2026-01-01T00:0[12]:/);
});
