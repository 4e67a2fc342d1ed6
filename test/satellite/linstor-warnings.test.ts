import { expect, test } from "vitest";
import { LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import { outcomeOf } from "../../local/time/outcome-of.ts";
import { nodes, type SatelliteBed } from "./bed.ts";
import { onBed } from "./on-bed.ts";

let bed: SatelliteBed;
const node = "node-1";

onBed((opened) => {
  bed = opened;
});

async function autoplace(name: string, AutoplaceTarget: "yes" | "no"): Promise<void> {
  const body = JSON.stringify({ override_props: { AutoplaceTarget } });
  const sent = bed.linstor.transport({ method: "PUT", path: `/v1/nodes/${name}`, headers: {}, body });
  await outcomeOf(bed.clock, sent, 60_000);
}

test("what LINSTOR cannot move is in the condition, in its words, until a place is there", async () => {
  await bed.volume("pvc-1", [node]);
  for (const other of nodes.slice(1)) await autoplace(other, "no");
  await bed.delete(LinstorSatellite, node);
  for (const type of ["SatelliteEvacuated", "EvacuationCompleted"])
    await bed.until(`${type} says so`, async () => {
      const { status, message = "" } = (await bed.condition(node, type)) ?? {};
      return status === "False" && /LINSTOR says: .*pvc-1.*cannot be evacuated.*\(warning 1020\)/.test(message);
    });
  await autoplace("node-2", "yes");
  const uid = (await bed.get(LinstorSatellite, node))?.metadata.uid;
  await bed.until("another LinstorSatellite is there", async () => {
    const live = await bed.get(LinstorSatellite, node);
    return live && live.metadata.uid !== uid;
  });
  expect(bed.linstor.goodCopies("pvc-1")).toEqual(["node-2"]);
  expect(bed.calls.atOnce).toBe(1);
});
