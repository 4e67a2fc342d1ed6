import { expect, test } from "vitest";
import { LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { marksFor } from "../../functions/satellite/lib/volumes.ts";
import { Event, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { harness, withHarness } from "./with-harness.ts";

const node = "node-1";

withHarness();

type EventObject = KubernetesObject & { reason: string; type: string; regarding: { kind: string; name: string } };
const eventsOn = async (kind: string, name: string) =>
  (await Array.fromAsync(harness.client.list<EventObject>(Event)))
    .filter(({ regarding }) => regarding.kind === kind && regarding.name === name)
    .map(({ type, reason }) => `${type} ${reason}`);
const annotationsOf = async (name: string) => (await harness.get(PersistentVolume, name))?.metadata.annotations ?? {};

test("what happens to a volume and to the Machine is shown there, by the reasons of piraeus-operator", async () => {
  await harness.machine("control", "node-4", { labels: { "cluster.x-k8s.io/control-plane": "" } });
  await harness.machine("worker", node);
  await harness.volume("pvc-1", [node, "node-2"], { attached: node, bound: true });
  await harness.until("the Machine waits", async () =>
    JSON.stringify((await harness.get(Machine, "worker"))?.metadata.annotations ?? {}).includes("linstor"),
  );
  await harness.delete(Machine, "worker");
  const { waits, since, override } = marksFor(node);
  // The volume may be used anywhere until all is over, and is waited for no longer than that.
  await harness.until("it is attached elsewhere, and only the override is left", async () => {
    const annotations = await annotationsOf("pvc-1");
    return annotations[override] && !(waits in annotations) && !(since in annotations);
  });
  await harness.until("the satellite is gone", async () => !(await harness.get(LinstorSatellite, node)));
  expect(await eventsOn("PersistentVolume", "pvc-1")).toEqual(
    expect.arrayContaining([
      "Normal VolumeEvacuating",
      "Normal VolumeTemporarilyMadeReschedulable",
      "Normal VolumeAttachedForEvacuation",
    ]),
  );
  expect(await eventsOn("Machine", "worker")).toEqual(
    expect.arrayContaining(["Normal SatelliteAllowedToBeDrained", "Normal SatelliteAllowedToBeRemoved"]),
  );
});
