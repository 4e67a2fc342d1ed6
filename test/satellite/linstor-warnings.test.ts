import { expect, test } from "vitest";
import { LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import { outcomeOf } from "../../local/time/outcome-of.ts";
import { nodes, type SatelliteHarness } from "./harness.ts";
import { withHarness } from "./with-harness.ts";

let harness: SatelliteHarness;
const node = "node-1";

withHarness((opened) => {
  harness = opened;
});

async function autoplace(name: string, AutoplaceTarget: "yes" | "no"): Promise<void> {
  const body = JSON.stringify({ override_props: { AutoplaceTarget } });
  const sent = harness.linstor.transport({ method: "PUT", path: `/v1/nodes/${name}`, headers: {}, body });
  await outcomeOf(harness.clock, sent, 60_000);
}

test("what LINSTOR cannot move is in the condition, in its words, until a place is there", async () => {
  await harness.volume("pvc-1", [node]);
  for (const other of nodes.slice(1)) await autoplace(other, "no");
  await harness.delete(LinstorSatellite, node);
  for (const type of ["SatelliteEvacuated", "EvacuationCompleted"])
    await harness.until(`${type} says so`, async () => {
      const { status, message = "" } = (await harness.condition(node, type)) ?? {};
      return status === "False" && /LINSTOR says: .*pvc-1.*cannot be evacuated.*\(warning 1020\)/.test(message);
    });
  await autoplace("node-2", "yes");
  const uid = (await harness.get(LinstorSatellite, node))?.metadata.uid;
  await harness.until("another LinstorSatellite is there", async () => {
    const live = await harness.get(LinstorSatellite, node);
    return live && live.metadata.uid !== uid;
  });
  expect(harness.linstor.goodCopies("pvc-1")).toEqual(["node-2"]);
  expect(harness.calls.atOnce).toBe(1);
});
