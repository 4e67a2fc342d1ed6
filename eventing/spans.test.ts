import { expect, test } from "vitest";
import { outcomeOf } from "../local/time/testing/outcome-of.ts";
import { virtualClock } from "../local/time/testing/virtual-clock.ts";
import { createBroker } from "./broker/broker.ts";
import { policyFor } from "./delivery/policy.ts";
import { seededRandom } from "./random.ts";
import type { Send } from "./send.ts";
import { emit } from "./source/emit.ts";
import type { BeginSpan } from "./spans.ts";
import { subscribers } from "./testing/subscribers.ts";

test("an event's source and its broker are spans around its function, and end when their work does", async () => {
  const clock = virtualClock();
  const url = "http://broker/shop/storage";
  const subscriber = "http://release.shop";
  // Its first answer is tried again after a second.
  const { send: sendOn, arrivals } = subscribers(clock, { [subscriber]: [503, 204] });
  const began = clock.now();
  const spans: string[] = [];
  const beginSpan: BeginSpan = (by, { name }, { traceparent = "none" }) => ({
    headers: { traceparent: by },
    end: () => spans.push(`${by} of ${name} below ${traceparent}, ended after ${clock.now() - began} ms`),
  });
  const send: Send = (to, request, signal) =>
    to === url ? broker.receive(request, signal) : sendOn(to, request, signal);
  const tools = { clock, send, beginSpan, random: seededRandom(1) };
  const broker = createBroker({ namespace: "shop", name: "storage", url, async: false }, tools);
  const policy = policyFor({ retry: 1, backoffPolicy: "exponential", backoffDelay: 1_000 }, undefined);
  broker.subscribe([{ namespace: "shop", name: "release", filter: () => true, subscriber, policy }]);
  const event = { attributes: { specversion: "1.0", type: "t", source: "s", name: "data" }, body: "" };
  const emitter = { by: "ApiServerSource shop/pods", namespace: "shop", sink: url, extensions: {} };
  await outcomeOf(clock, emit(tools, emitter, event, new AbortController().signal), 60_000);
  expect(spans).toEqual([
    "Broker shop/storage of data below ApiServerSource shop/pods, ended after 1000 ms",
    "ApiServerSource shop/pods of data below none, ended after 1000 ms",
  ]);
  expect(arrivals.map(({ request }) => request.headers.traceparent)).toEqual(Array(2).fill("Broker shop/storage"));
});
