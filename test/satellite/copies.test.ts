import { expect, test } from "vitest";
import { Machine } from "../../functions/satellite/lib/kinds.ts";
import type { Administrator } from "./administrator.ts";
import { addressOf, type SatelliteBed } from "./bed.ts";
import { onBed } from "./on-bed.ts";

let bed: SatelliteBed;
let admin: Administrator;
const node = "node-1";
const minutes = 60_000;
const controlPlane = { labels: { "cluster.x-k8s.io/control-plane": "" } };

onBed((opened, administrator) => {
  bed = opened;
  admin = administrator;
});

test("a volume with fewer copies than its place count is not moved, until the place count is lowered", async () => {
  bed.linstor.addVolume("pvc-1", { copies: [node, "node-2"], tieBreaker: "node-3", placeCount: 3 });
  await admin.taint(node, "NoExecute");
  await admin.says(node, "SatelliteEvacuated", /^Error: LINSTOR has not moved pvc-1.*1020.*--place-count N/);
  expect(bed.linstor.goodCopies("pvc-1")).toEqual([node, "node-2"]);
  bed.linstor.setPlaceCount("pvc-1", 2);
  await bed.until("it is moved", () => !bed.linstor.hasCopy("pvc-1", node));
  expect(bed.linstor.goodCopies("pvc-1")).toHaveLength(2);
});

test("what LINSTOR said of an earlier call is not said any more while another one is carried out", async () => {
  bed.linstor.addVolume("pvc-1", { copies: [node], placeCount: 2 });
  await admin.taint(node, "NoExecute");
  await admin.says(node, "SatelliteEvacuated", /LINSTOR says: .*1020/);
  bed.linstor.setPlaceCount("pvc-1", 1);
  await bed.until("it is called again", () => bed.calls.evacuate.length > 1);
  await admin.says(node, "SatelliteEvacuated", /Copies are being made/);
  expect((await bed.condition(node, "SatelliteEvacuated"))?.message).not.toContain("LINSTOR says");
});

test("a copy on a node whose Machine goes under Retain is not counted: the last one that stays is kept", async () => {
  await bed.machine("control", "node-4", controlPlane);
  for (const [machine, name] of [
    ["worker", node],
    ["second", "node-2"],
  ] as const) {
    await bed.machine(machine, name);
    await admin.hooked(machine);
  }
  const other = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/other";
  await bed.merge(Machine, "worker", { metadata: { annotations: { [other]: "" } } });
  bed.linstor.addVolume("pvc-1", { copies: [node, "node-2"], placeCount: 1 });
  bed.linstor.stopSatellite(addressOf("node-3"));
  await bed.clock.advance(10_000);
  await bed.delete(Machine, "worker");
  await admin.says(node, "SatelliteEvacuated", /to become ready: node-3/);
  await admin.setPolicy(node, "Retain");
  await bed.until("it is released", async () => (await admin.hooksOn("worker")).length === 0);
  bed.linstor.startSatellite(addressOf("node-3"));
  await bed.delete(Machine, "second");
  await admin.says(
    "node-2",
    "SatelliteEvacuated",
    /LINSTOR would delete copies on node-2 .*pvc-1 \(0 of 1\).*auto-place/,
  );
  await bed.clock.advance(10 * minutes);
  expect(bed.calls.evacuate).toEqual([]);
  expect(bed.linstor.goodCopies("pvc-1")).toContain("node-2");
  bed.linstor.addCopy("pvc-1", "node-3");
  await admin.gone(Machine, "second");
  expect(bed.linstor.goodCopies("pvc-1")).toContain("node-3");
});
