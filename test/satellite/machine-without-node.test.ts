import { describe, expect, test } from "vitest";
import { Cluster, LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { recordKey } from "../../functions/satellite/lib/record.ts";
import { GenericMachine } from "../../local/cluster-api/kinds.ts";
import { Event, Node } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { controlPlane } from "./administrator.ts";
import { addressOf } from "./harness.ts";
import { harness, withHarness } from "./with-harness.ts";

const node = "node-1";

withHarness();

const flagsOf = async (name: string): Promise<string[]> =>
  JSON.parse((await harness.linstor.transport({ method: "GET", path: `/v1/nodes/${name}`, headers: {} })).body).flags ??
  [];
const hooked = (name: string) =>
  harness.until(`${name} waits for us`, async () =>
    JSON.stringify((await harness.get(Machine, name))?.metadata.annotations ?? {}).includes("linstor-wait"),
  );
const gone = (name: string) =>
  harness.until(`Machine ${name} is gone`, async () => !(await harness.get(Machine, name)));
const recordOf = async () => (await harness.get(LinstorSatellite, node))?.metadata.annotations?.[recordKey];
/** Without a control plane Cluster API deletes no Node. */
async function machineLeaves(): Promise<void> {
  await harness.machine("worker", node);
  await hooked("worker");
  await harness.volume("pvc-1", [node, "node-2"]);
  await harness.delete(Machine, "worker");
}

describe("Cluster API leaves the Node of a Machine that is gone", () => {
  test("whose server runs on: nothing of the evacuation stays, and the satellite is used again", async () => {
    await machineLeaves();
    await gone("worker");
    expect(harness.calls.evacuate).toEqual([node]);
    await harness.until("its evacuation is forgotten", async () => (await recordOf()) === undefined);
    expect(await flagsOf(node)).toEqual([]);
    expect((await harness.condition(node, "SatelliteEvacuated"))?.reason).toBe("GivenUp");
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
  });

  test("whose server is gone: it is said that the Node has to be deleted, and then the satellite goes", async () => {
    await machineLeaves();
    const held = { metadata: { finalizers: ["test.holdfast.dev/server"] } };
    await harness.merge(GenericMachine, "worker", held);
    await harness.until(
      "the server goes",
      async () => (await harness.get(GenericMachine, "worker"))?.metadata.deletionTimestamp,
    );
    harness.linstor.stopSatellite(addressOf(node));
    await harness.clock.advance(10_000);
    await harness.merge(GenericMachine, "worker", { metadata: { finalizers: null } });
    await gone("worker");
    type EventObject = KubernetesObject & { reason: string; regarding: { name: string } };
    await harness.until("it is said", async () =>
      (await Array.fromAsync(harness.client.list<EventObject>(Event))).some(
        ({ reason, regarding }) => reason === "NodeLeftBehind" && regarding.name === node,
      ),
    );
    expect(await flagsOf(node)).toEqual(["EVACUATE"]);
    await harness.delete(Node, node);
    await harness.until("the satellite is gone", async () => !(await harness.get(LinstorSatellite, node)));
  });
});

test("a Machine that is deleted before it knows its Node: all steps, and Node and satellite go", async () => {
  await harness.machine("control", "node-4", controlPlane);
  await harness.merge(Cluster, "test", { spec: { paused: true } });
  await harness.create(GenericMachine, { metadata: { name: "worker" }, spec: {} });
  const spec = { clusterName: "test", providerID: `generic:///${node}`, infrastructureRef: { name: "worker" } };
  await harness.create(Machine, { metadata: { name: "worker", finalizers: ["machine.cluster.x-k8s.io"] }, spec });
  // Cluster API annotates the Node before it writes down in the Machine which Node it is.
  const annotations = { "cluster.x-k8s.io/machine": "worker", "cluster.x-k8s.io/cluster-namespace": "capi" };
  await harness.merge(Node, node, { metadata: { annotations } });
  await harness.merge(LinstorSatellite, node, { metadata: { labels: { touched: "yes" } } });
  await hooked("worker");
  await harness.delete(Machine, "worker");
  await harness.merge(Cluster, "test", { spec: { paused: false } });
  // Its own event does not say whose Machine it is; this one does, as the sweep would later.
  await harness.volume("pvc-1", [node, "node-2"], { attached: node });
  await gone("worker");
  await harness.until("the satellite is gone", async () => !(await harness.get(LinstorSatellite, node)));
  expect(await harness.get(Node, node)).toBeUndefined();
  expect(harness.linstor.goodCopies("pvc-1").includes(node)).toBe(false);
  expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
});
