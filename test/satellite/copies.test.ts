import { expect, test } from "vitest";
import { Machine } from "../../functions/satellite/lib/kinds.ts";
import type { Administrator } from "./administrator.ts";
import { addressOf, type SatelliteHarness } from "./harness.ts";
import { withHarness } from "./with-harness.ts";

let harness: SatelliteHarness;
let admin: Administrator;
const node = "node-1";
const minutes = 60_000;
const controlPlane = { labels: { "cluster.x-k8s.io/control-plane": "" } };

withHarness((opened, administrator) => {
  harness = opened;
  admin = administrator;
});

test("a volume with fewer copies than its place count is not moved, until the place count is lowered", async () => {
  harness.linstor.addVolume("pvc-1", { copies: [node, "node-2"], tieBreaker: "node-3", placeCount: 3 });
  await admin.taint(node, "NoExecute");
  await admin.says(node, "SatelliteEvacuated", /^Error: LINSTOR has not moved pvc-1.*1020.*--place-count N/);
  expect(harness.linstor.goodCopies("pvc-1")).toEqual([node, "node-2"]);
  harness.linstor.setPlaceCount("pvc-1", 2);
  await harness.until("it is moved", () => !harness.linstor.hasCopy("pvc-1", node));
  expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
});

test("what LINSTOR said of an earlier call is not said any more while another one is carried out", async () => {
  harness.linstor.addVolume("pvc-1", { copies: [node], placeCount: 2 });
  await admin.taint(node, "NoExecute");
  await admin.says(node, "SatelliteEvacuated", /LINSTOR says: .*1020/);
  harness.linstor.setPlaceCount("pvc-1", 1);
  await harness.until("it is called again", () => harness.calls.evacuate.length > 1);
  await admin.says(node, "SatelliteEvacuated", /Copies are being made/);
  expect((await harness.condition(node, "SatelliteEvacuated"))?.message).not.toContain("LINSTOR says");
});

test("a copy on a node whose Machine goes under Retain is not counted: the last one that stays is kept", async () => {
  await harness.machine("control", "node-4", controlPlane);
  for (const [machine, name] of [
    ["worker", node],
    ["second", "node-2"],
  ] as const) {
    await harness.machine(machine, name);
    await admin.hooked(machine);
  }
  const other = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/other";
  await harness.merge(Machine, "worker", { metadata: { annotations: { [other]: "" } } });
  harness.linstor.addVolume("pvc-1", { copies: [node, "node-2"], placeCount: 1 });
  harness.linstor.stopSatellite(addressOf("node-3"));
  await harness.clock.advance(10_000);
  await harness.delete(Machine, "worker");
  await admin.says(node, "SatelliteEvacuated", /to become ready: node-3/);
  await admin.setPolicy(node, "Retain");
  await harness.until("it is released", async () => (await admin.hooksOn("worker")).length === 0);
  harness.linstor.startSatellite(addressOf("node-3"));
  await harness.delete(Machine, "second");
  await admin.says(
    "node-2",
    "SatelliteEvacuated",
    /LINSTOR would delete copies on node-2 .*pvc-1 \(0 of 1\).*auto-place/,
  );
  await harness.clock.advance(10 * minutes);
  expect(harness.calls.evacuate).toEqual([]);
  expect(harness.linstor.goodCopies("pvc-1")).toContain("node-2");
  harness.linstor.addCopy("pvc-1", "node-3");
  await admin.gone(Machine, "second");
  expect(harness.linstor.goodCopies("pvc-1")).toContain("node-3");
});
