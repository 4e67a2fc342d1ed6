import { describe, expect, test } from "vitest";
import { LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { recordKey } from "../../functions/satellite/lib/record.ts";
import { Cluster, GenericMachine } from "../../local/cluster-api/kinds.ts";
import { Event, Node } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { addressOf, type SatelliteBed } from "./bed.ts";
import { onBed } from "./on-bed.ts";

let bed: SatelliteBed;
const node = "node-1";

onBed((opened) => {
  bed = opened;
});

const flagsOf = async (name: string): Promise<string[]> =>
  JSON.parse((await bed.linstor.transport({ method: "GET", path: `/v1/nodes/${name}`, headers: {} })).body).flags ?? [];
const hooked = (name: string) =>
  bed.until(`${name} waits for us`, async () =>
    JSON.stringify((await bed.get(Machine, name))?.metadata.annotations ?? {}).includes("linstor-wait"),
  );
const gone = (name: string) => bed.until(`Machine ${name} is gone`, async () => !(await bed.get(Machine, name)));
const recordOf = async () => (await bed.get(LinstorSatellite, node))?.metadata.annotations?.[recordKey];
/** Without a control plane Cluster API deletes no Node. */
async function machineLeaves(): Promise<void> {
  await bed.machine("worker", node);
  await hooked("worker");
  await bed.volume("pvc-1", [node, "node-2"]);
  await bed.delete(Machine, "worker");
}

describe("Cluster API leaves the Node of a Machine that is gone", () => {
  test("whose server runs on: nothing of the evacuation stays, and the satellite is used again", async () => {
    await machineLeaves();
    await gone("worker");
    expect(bed.calls.evacuate).toEqual([node]);
    await bed.until("its evacuation is forgotten", async () => (await recordOf()) === undefined);
    expect(await flagsOf(node)).toEqual([]);
    expect((await bed.condition(node, "SatelliteEvacuated"))?.reason).toBe("GivenUp");
    expect(bed.linstor.goodCopies("pvc-1")).toHaveLength(2);
  });

  test("whose server is gone: it is said that the Node has to be deleted, and then the satellite goes", async () => {
    await machineLeaves();
    const held = { metadata: { finalizers: ["test.holdfast.dev/server"] } };
    await bed.merge(GenericMachine, "worker", held);
    await bed.until(
      "the server goes",
      async () => (await bed.get(GenericMachine, "worker"))?.metadata.deletionTimestamp,
    );
    bed.linstor.stopSatellite(addressOf(node));
    await bed.clock.advance(10_000);
    await bed.merge(GenericMachine, "worker", { metadata: { finalizers: null } });
    await gone("worker");
    type EventObject = KubernetesObject & { reason: string; regarding: { name: string } };
    await bed.until("it is said", async () =>
      (await Array.fromAsync(bed.client.list<EventObject>(Event))).some(
        ({ reason, regarding }) => reason === "NodeLeftBehind" && regarding.name === node,
      ),
    );
    expect(await flagsOf(node)).toEqual(["EVACUATE"]);
    await bed.delete(Node, node);
    await bed.until("the satellite is gone", async () => !(await bed.get(LinstorSatellite, node)));
  });
});

test("a Machine that is deleted before it knows its Node: all steps, and Node and satellite go", async () => {
  await bed.machine("control", "node-4", { labels: { "cluster.x-k8s.io/control-plane": "" } });
  await bed.merge(Cluster, "test", { spec: { paused: true } });
  await bed.create(GenericMachine, { metadata: { name: "worker" }, spec: {} });
  const spec = { clusterName: "test", providerID: `generic:///${node}`, infrastructureRef: { name: "worker" } };
  await bed.create(Machine, { metadata: { name: "worker", finalizers: ["machine.cluster.x-k8s.io"] }, spec });
  // Cluster API annotates the Node before it writes down in the Machine which Node it is.
  const annotations = { "cluster.x-k8s.io/machine": "worker", "cluster.x-k8s.io/cluster-namespace": "capi" };
  await bed.merge(Node, node, { metadata: { annotations } });
  await bed.merge(LinstorSatellite, node, { metadata: { labels: { touched: "yes" } } });
  await hooked("worker");
  await bed.delete(Machine, "worker");
  await bed.merge(Cluster, "test", { spec: { paused: false } });
  // Its own event does not say whose Machine it is; this one does, as the sweep would later.
  await bed.volume("pvc-1", [node, "node-2"], { attached: node });
  await gone("worker");
  await bed.until("the satellite is gone", async () => !(await bed.get(LinstorSatellite, node)));
  expect(await bed.get(Node, node)).toBeUndefined();
  expect(bed.linstor.goodCopies("pvc-1").includes(node)).toBe(false);
  expect(bed.linstor.goodCopies("pvc-1")).toHaveLength(2);
});
