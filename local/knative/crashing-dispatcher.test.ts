import { expect, test } from "vitest";
import { policyFor } from "../../eventing/delivery/policy.ts";
import { type Reply, subscribers } from "../../eventing/testing/subscribers.ts";
import type { Hop } from "../../eventing/trace.ts";
import { virtualClock } from "../time/testing/virtual-clock.ts";
import { crashingDispatcher } from "./crashing-dispatcher.ts";

const event = {
  headers: { "ce-specversion": "1.0", "ce-id": "1", "ce-source": "/", "ce-type": "a" },
  body: "",
};

/**
 * Two brokers of one dispatcher: `a` delivers to what replies so, `b` holds an event whose subscriber never replies.
 */
async function after(reply: Reply) {
  const clock = virtualClock();
  const { send, arrivals } = subscribers(clock, {
    "http://a": [reply],
    "http://b": [() => new Promise<never>(() => {})],
  });
  const hops: Hop[] = [];
  const create = crashingDispatcher();
  const [a, b] = ["a", "b"].map((name) => {
    const options = { namespace: "shop", name, url: `http://broker-ingress/shop/${name}`, async: name === "b" };
    const broker = create(options, { clock, send, trace: (hop) => hops.push(hop) });
    const policy = policyFor({}, undefined);
    const subscription = { namespace: "shop", name, filter: () => true, subscriber: `http://${name}`, policy };
    broker.subscribe([{ ...subscription, deadLetterSink: "http://dead" }]);
    return broker;
  });
  await b?.receive(event);
  const { status } = (await a?.receive(event)) ?? {};
  await clock.settle();
  const dropped = hops.filter(({ hop }) => hop === "dropped").length;
  const troubles = hops.filter(({ hop }) => hop === "trouble").length;
  const deadLettered = arrivals.some(({ url }) => url === "http://dead");
  return { status, dropped, troubles, deadLettered, pending: b?.pending() };
}

test("a reply of 769 bytes takes what every broker holds with it", async () => {
  const lost = { status: 500, dropped: 2, troubles: 1, deadLettered: false, pending: 0 };
  expect(await after({ status: 403, body: "x".repeat(769) })).toEqual(lost);
});

const survived = { status: 202, dropped: 0, troubles: 0, deadLettered: true, pending: 1 };
test.each<[string, Reply]>([
  ["768 bytes", { status: 403, body: "x".repeat(768) }],
  ["a success that is no event", { status: 200, body: "x".repeat(769) }],
])("a reply of %s does not", async (_, reply) => expect(await after(reply)).toEqual(survived));
