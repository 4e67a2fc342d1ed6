import { expect, test } from "vitest";
import { readCopies } from "../../functions/satellite/lib/copies-note.ts";
import { LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { controlPlane } from "./administrator.ts";
import { addressOf, nodes } from "./harness.ts";
import { admin, harness, withHarness } from "./with-harness.ts";

const node = "node-1";
const minutes = 60_000;

withHarness();

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

test("while copies are made, the satellite says on which nodes they are, and how they are there", async () => {
  harness.linstor.addVolume("pvc-1", { copies: [node, "node-2"], tieBreaker: "node-3", placeCount: 2 });
  const noted = async () => {
    const satellite = await harness.get(LinstorSatellite, node);
    return satellite ? readCopies(satellite)["pvc-1"] : undefined;
  };
  await admin.taint(node, "NoExecute");
  await admin.says(node, "SatelliteEvacuated", /Copies are being made on node-3/);
  const beingMade = expect.stringMatching(/^(being created|Inconsistent|SyncTarget)$/);
  expect(await noted()).toEqual({ [node]: "UpToDate", "node-2": "UpToDate", "node-3": beingMade });
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

test("what LINSTOR cannot move is in the condition, in its words, until a place is there", async () => {
  const autoplace = (name: string, AutoplaceTarget: string) =>
    admin.ask("PUT", `/v1/nodes/${name}`, { override_props: { AutoplaceTarget } });
  await harness.volume("pvc-1", [node]);
  for (const other of nodes.slice(1)) await autoplace(other, "no");
  await harness.delete(LinstorSatellite, node);
  for (const type of ["SatelliteEvacuated", "EvacuationCompleted"])
    await admin.says(node, type, /LINSTOR says: .*pvc-1.*cannot be evacuated.*\(warning 1020\)/);
  expect((await harness.condition(node, "EvacuationCompleted"))?.status).toBe("False");
  await autoplace("node-2", "yes");
  await admin.replaced(node);
  expect(harness.linstor.goodCopies("pvc-1")).toEqual(["node-2"]);
  expect(harness.calls.atOnce).toBe(1);
});
