import { expect, test } from "vitest";
import { LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { marksFor } from "../../functions/satellite/lib/marks.ts";
import { Event, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { SatelliteBed } from "./bed.ts";
import { onBed } from "./on-bed.ts";

let bed: SatelliteBed;
const node = "node-1";

onBed((opened) => {
  bed = opened;
});

type EventObject = KubernetesObject & { reason: string; type: string; regarding: { kind: string; name: string } };
const eventsOn = async (kind: string, name: string) =>
  (await Array.fromAsync(bed.client.list<EventObject>(Event)))
    .filter(({ regarding }) => regarding.kind === kind && regarding.name === name)
    .map(({ type, reason }) => `${type} ${reason}`);
const annotationsOf = async (name: string) => (await bed.get(PersistentVolume, name))?.metadata.annotations ?? {};

test("what happens to a volume and to the Machine is shown there, by the reasons of piraeus-operator", async () => {
  await bed.machine("control", "node-4", { labels: { "cluster.x-k8s.io/control-plane": "" } });
  await bed.machine("worker", node);
  await bed.volume("pvc-1", [node, "node-2"], { attached: node, bound: true });
  await bed.until("the Machine waits", async () =>
    JSON.stringify((await bed.get(Machine, "worker"))?.metadata.annotations ?? {}).includes("linstor"),
  );
  await bed.delete(Machine, "worker");
  const { waits, since, override } = marksFor(node);
  // The volume may be used anywhere until all is over, and is waited for no longer than that.
  await bed.until("it is attached elsewhere, and only the override is left", async () => {
    const annotations = await annotationsOf("pvc-1");
    return annotations[override] && !(waits in annotations) && !(since in annotations);
  });
  await bed.until("the satellite is gone", async () => !(await bed.get(LinstorSatellite, node)));
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
