import { expect, test } from "vitest";
import { policyFor } from "../../../eventing/delivery/policy.ts";
import { subscribers } from "../../../eventing/testing/subscribers.ts";
import { virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { type Stale, staleSubscribers } from "./stale-subscribers.ts";

const release = "http://release.shop.svc.cluster.local";
const deadLetterSink = "http://dead-letter.shop.svc.cluster.local";

async function arrivalsWith(stale: Stale, replies = {}) {
  const clock = virtualClock();
  const { send, arrivals } = subscribers(clock, replies);
  const options = { namespace: "shop", name: "storage", url: "http://broker-ingress/shop/storage", async: true };
  const broker = staleSubscribers(stale)(options, { clock, send });
  const policy = policyFor({ retry: 2, backoffPolicy: "linear", backoffDelay: 1000 }, undefined);
  const filter = ({ kind }: Readonly<Record<string, string>>) => kind === "Pod";
  broker.subscribe([{ namespace: "shop", name: "release", filter, subscriber: release, policy, deadLetterSink }]);
  const event = (kind: string) => ({
    headers: { "ce-specversion": "1.0", "ce-id": kind, "ce-source": "/", "ce-type": "a", "ce-kind": kind },
    body: "",
  });
  for (const kind of ["Pod", "Node"]) await broker.receive(event(kind));
  await clock.advance(60_000);
  return arrivals.map(
    ({ url, at, request }) => `${at} ${request.headers["ce-kind"]} ${new URL(url).hostname.split(".")[0]}`,
  );
}

test("a Trigger that was changed is delivered for twice, by its present filter and by both deliveries", async () => {
  const changed = { policy: policyFor({ retry: 1, backoffPolicy: "linear", backoffDelay: 0 }, undefined) };
  expect(await arrivalsWith({ changed })).toEqual(["0 Pod release", "0 Pod release"]);
  const failing = await arrivalsWith({ changed }, { [release]: [503] });
  // Three attempts in the first second by what the Trigger says, and two by what it said before.
  expect(failing.filter((arrival) => arrival.endsWith("release"))).toHaveLength(5);
  expect(failing.filter((arrival) => arrival.endsWith("dead-letter"))).toHaveLength(2);
});

test("for a Trigger that was deleted every event of the broker is dead-lettered, with any filter", async () => {
  expect(await arrivalsWith({ deleted: ["grace"] })).toEqual([
    "0 Pod release",
    "1000 Pod dead-letter",
    "1000 Node dead-letter",
  ]);
});

test("without either it is a broker like any other", async () => {
  expect(await arrivalsWith({})).toEqual(["0 Pod release"]);
});
