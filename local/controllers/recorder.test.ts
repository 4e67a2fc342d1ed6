import { expect, it } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { Event, Namespace, Node } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { createApiServer } from "../apiserver/server.ts";
import { virtualClock } from "../time/testing/virtual-clock.ts";
import { createRecorder, type Occurrence } from "./recorder.ts";

function createWorld() {
  const clock = virtualClock();
  const random = seededRandom(3);
  const client = createClient(createApiServer({ clock, random }).handle, { clock });
  const failures: unknown[] = [];
  const record = createRecorder({ client, clock, random }, (error) => failures.push(error));
  const events = () => Array.fromAsync(client.list<KubernetesObject>(Event));
  const node = () =>
    client.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name: "one" } } as KubernetesObject);
  return { clock, client, record, events, failures, node };
}

const ready: Occurrence = {
  type: "Normal",
  reason: "NodeReady",
  note: "Node one is ready",
  by: "kubelet",
  instance: "one",
};

it("writes an Event; on a cluster-scoped object into the namespace default", async () => {
  const { clock, record, events, failures, node } = createWorld();
  const about = await node();
  record(about, ready);
  await clock.settle();
  expect(failures).toEqual([]);
  expect(await events()).toMatchObject([
    {
      metadata: { namespace: "default", name: expect.stringMatching(/^one\.[0-9a-f]{16}$/) },
      type: "Normal",
      reason: "NodeReady",
      action: "NodeReady",
      note: "Node one is ready",
      reportingController: "kubelet",
      reportingInstance: "one",
      regarding: { kind: "Node", name: "one", uid: about.metadata.uid },
    },
  ]);
});

it("writes the same once, and different things apart", async () => {
  const { clock, record, events, node } = createWorld();
  const about = await node();
  record(about, ready);
  record(about, { ...ready, note: "Node one is ready once more" });
  await clock.advance(1000);
  record(about, ready);
  await clock.settle();
  expect((await events()).map(({ note }) => note).sort()).toEqual(["Node one is ready", "Node one is ready once more"]);
});

it("says nothing of an Event that a namespace did not take because it is going", async () => {
  const { clock, client, record, failures, node } = createWorld();
  const metadata = { name: "shop", finalizers: ["test.holdfast.dev/hold"] };
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata } as unknown as KubernetesObject);
  await client.delete(Namespace, undefined, "shop");
  const about = await node();
  record({ ...about, metadata: { ...about.metadata, namespace: "shop" } }, ready);
  await clock.settle();
  expect(failures).toEqual([]);
});

it("reports an Event that could not be written, and goes on", async () => {
  const { clock, record, failures, events, node } = createWorld();
  const about = await node();
  record({ ...about, metadata: { ...about.metadata, namespace: "nowhere" } }, ready);
  await clock.settle();
  record(about, ready);
  await clock.settle();
  expect(failures).toHaveLength(1);
  expect(await events()).toHaveLength(1);
});
