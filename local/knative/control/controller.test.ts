import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServerSource, Broker, PingSource, Trigger } from "../../../eventing/kinds.ts";
import { Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { setStatus } from "../../../test/harness/set-status.ts";
import { type EventingWorld, openEventingWorld } from "../testing/world.ts";

let world: EventingWorld;
beforeEach(async () => {
  world = await openEventingWorld({ "http://dead-letter.shop": [204] });
});
afterEach(async () => {
  expect(world.troubles).toEqual([]);
  await world.close();
});

const service = (name: string) => ({ ref: { apiVersion: "serving.knative.dev/v1", kind: "Service", name } });
const broker = { ref: { apiVersion: "eventing.knative.dev/v1", kind: "Broker", name: "workloads" } };
const pods = { mode: "Resource", resources: [{ apiVersion: "v1", kind: "Pod" }], sink: broker };

/** The conditions of an object as `type: status reason`. */
const conditionsOf = (object: KubernetesObject | undefined) =>
  (object?.status as { conditions: { type: string; status: string; reason?: string }[] } | undefined)?.conditions.map(
    ({ type, status, reason }) => `${type}: ${status}${reason ? ` ${reason}` : ""}`,
  );
const readyOf = (object: KubernetesObject | undefined) =>
  conditionsOf(object)?.find((line) => line.startsWith("Ready"));

/** A change goes through several watches and writes, and what is put off is so for less than this. */
const settled = () => world.clock.advance(100);

async function pod(name: string): Promise<void> {
  await world.create(Pod, name, { containers: [{ name: "a", image: "a" }] });
  await settled();
}

const delivered = () => world.arrivals.map(({ url, request }) => `${url} ${request.headers["ce-name"]}`);

async function standard(): Promise<void> {
  await world.create(Broker, "workloads", {});
  await world.create(Trigger, "release", { broker: "workloads", subscriber: service("release") });
  await world.create(ApiServerSource, "pods", pods);
  await settled();
}

describe("status", () => {
  test("of a Broker", async () => {
    await standard();
    expect((await world.get(Broker, "workloads"))?.status).toEqual({
      observedGeneration: 1,
      address: { name: "http", url: "http://broker-ingress/shop/workloads" },
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: expect.any(String) }],
    });
  });

  test("of an object that Knative had before has none of its other conditions", async () => {
    await standard();
    const conditions = [
      { type: "IngressReady", status: "False" },
      { type: "Ready", status: "False" },
    ];
    await setStatus(world.client, Broker, "shop", "workloads", { conditions });
    await settled();
    expect(conditionsOf(await world.get(Broker, "workloads"))).toEqual(["Ready: True"]);
  });

  test("of a Trigger", async () => {
    await standard();
    const trigger = await world.get(Trigger, "release");
    expect(trigger?.status).toMatchObject({ observedGeneration: 1, subscriberUri: "http://release.shop" });
    expect(conditionsOf(trigger)).toEqual(["Ready: True"]);
  });

  test("of sources", async () => {
    await standard();
    await world.create(PingSource, "sweep", { schedule: "* * * * *", sink: broker });
    await settled();
    for (const source of [await world.get(ApiServerSource, "pods"), await world.get(PingSource, "sweep")]) {
      expect(source?.status).toMatchObject({ sinkUri: "http://broker-ingress/shop/workloads" });
      expect(conditionsOf(source)).toEqual(["Ready: True"]);
    }
  });

  test("says what is missing, and changes when it comes", async () => {
    await world.create(Trigger, "later", { broker: "workloads", subscriber: service("later") });
    await world.create(ApiServerSource, "pods", pods);
    await settled();
    expect(readyOf(await world.get(Trigger, "later"))).toBe("Ready: False BrokerDoesNotExist");
    expect(readyOf(await world.get(ApiServerSource, "pods"))).toBe("Ready: False NotFound");

    await world.create(Broker, "workloads", {});
    await settled();
    expect(readyOf(await world.get(Trigger, "later"))).toBe("Ready: False Unable to get the Subscriber's URI");
    expect(readyOf(await world.get(ApiServerSource, "pods"))).toBe("Ready: True");

    world.services.add("later");
    world.eventing.refresh();
    await settled();
    expect(readyOf(await world.get(Trigger, "later"))).toBe("Ready: True");

    world.services.delete("later");
    world.eventing.refresh();
    await settled();
    expect((await world.get(Trigger, "later"))?.status).not.toHaveProperty("subscriberUri");
  });

  test("says which field is not obeyed", async () => {
    await world.create(Broker, "workloads", {});
    await world.create(Trigger, "release", { broker: "workloads", subscriber: service("release"), fliters: [] });
    await settled();
    const trigger = await world.get(Trigger, "release");
    expect(conditionsOf(trigger)).toEqual(["Ready: False NotObeyed"]);
    expect(JSON.stringify(trigger?.status)).toContain("Trigger shop/release: spec.fliters is not obeyed.");
    await pod("a");
    expect(delivered()).toEqual([]);
  });

  test("is not written again when nothing changed", async () => {
    await standard();
    const version = async () => (await world.get(Trigger, "release"))?.metadata.resourceVersion;
    const before = await version();
    world.eventing.refresh();
    await world.clock.advance(60_000);
    expect(await version()).toBe(before);
  });
});

describe("an event goes from the API server to the function", () => {
  test("through source, broker and Trigger", async () => {
    await pod("before");
    await standard();
    await pod("a");
    expect(delivered()).toEqual(["http://release.shop a"]);
    expect(world.hops.map(({ hop }) => hop)).toEqual(["emitted", "accepted", "matched", "delivered", "delivered"]);
  });

  test("an edit of a Trigger's filter counts from the next event", async () => {
    await standard();
    await pod("a");
    const filter = (name: string) => ({ spec: { filters: [{ exact: { name } }] } });
    await world.client.patch(Trigger, "shop", "release", "merge", filter("c"));
    await settled();
    await pod("b");
    await pod("c");
    expect(delivered()).toEqual(["http://release.shop a", "http://release.shop c"]);
  });

  test("a deleted Trigger gets nothing, a deleted Broker is gone", async () => {
    await standard();
    await world.client.delete(Trigger, "shop", "release");
    await settled();
    await pod("a");
    expect(delivered()).toEqual([]);
    await world.client.delete(Broker, "shop", "workloads");
    await settled();
    expect(await world.eventing.receive("/shop/workloads", { headers: {}, body: "" })).toMatchObject({ status: 404 });
    expect(readyOf(await world.get(ApiServerSource, "pods"))).toBe("Ready: False NotFound");
  });

  test("an edited source begins again", async () => {
    await standard();
    await world.client.patch(ApiServerSource, "shop", "pods", "merge", { spec: { mode: "Reference" } });
    await settled();
    await pod("a");
    expect(world.arrivals[0]?.request.headers["ce-type"]).toBe("dev.knative.apiserver.ref.add");
    expect(world.arrivals).toHaveLength(1);
  });

  test("the Broker's dead-letter sink serves a Trigger whose delivery has none, but its retries do not", async () => {
    world.services.delete("release");
    await standard();
    const delivery = { retry: 5, deadLetterSink: service("dead-letter") };
    await world.client.patch(Broker, "shop", "workloads", "merge", { spec: { delivery } });
    const subscriber = { uri: "http://release.shop" };
    await world.client.patch(Trigger, "shop", "release", "merge", {
      spec: { subscriber: { ref: null, ...subscriber }, delivery: { timeout: "PT1S" } },
    });
    await settled();
    expect((await world.get(Trigger, "release"))?.status).toMatchObject({
      deadLetterSinkUri: "http://dead-letter.shop",
    });
  });
});

describe("the paths of the ingress", () => {
  test.each([
    ["/", 404],
    ["/shop", 400],
    ["/shop/workloads/x", 400],
    ["/shop/other", 404],
    ["/shop/workloads/", 400],
  ])("%s answers an empty request with %d", async (path, status) => {
    await world.create(Broker, "workloads", {});
    await settled();
    expect(await world.eventing.receive(path, { headers: {}, body: "" })).toMatchObject({ status });
  });
});
