import { expect, test } from "vitest";
import { LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import type { Administrator } from "./administrator.ts";
import { addressOf, type SatelliteBed } from "./bed.ts";
import { onBed } from "./on-bed.ts";

let bed: SatelliteBed;
let admin: Administrator;
const node = "node-1";
const minutes = 60_000;

onBed((opened, administrator) => {
  bed = opened;
  admin = administrator;
});

/** The first call to remove a node takes effect so late (milliseconds); nothing listens any more by then. */
function delayFirstRemoval(late: number): () => number {
  let calls = 0;
  bed.answerLinstor(async (request, send) => {
    if (request.method === "DELETE" && calls++ === 0) await bed.clock.sleep(late);
    return send(request);
  });
  return () => calls;
}

/** A volume of one copy on the node that has come again. */
async function placeVolume(): Promise<void> {
  await bed.until("the node is configured again", async () => {
    return (await bed.condition(node, "Configured"))?.status === "True";
  });
  await bed.volume("pvc-new", [node]);
}

test("a DELETE that LINSTOR carries out late leaves a node that was made again alone", async () => {
  const calls = delayFirstRemoval(230_000);
  await bed.delete(LinstorSatellite, node);
  await bed.until("LINSTOR was called to delete the node", () => calls() > 0);
  await admin.says(node, "SatelliteDeleted", /may still take effect until/);
  await admin.replaced(node);
  await placeVolume();
  await bed.clock.advance(10 * minutes);
  expect(bed.linstor.goodCopies("pvc-new")).toEqual([node]);
});

test("the same where the policy becomes Retain while the DELETE is on its way", async () => {
  const calls = delayFirstRemoval(230_000);
  await bed.delete(LinstorSatellite, node);
  await bed.until("LINSTOR was called to delete the node", () => calls() > 0);
  await admin.setPolicy(node, "Retain");
  await admin.replaced(node);
  await placeVolume();
  await bed.clock.advance(10 * minutes);
  expect(bed.linstor.goodCopies("pvc-new")).toEqual([node]);
});

test("a late `lost` under the policy Delete leaves a node that was made again alone", async () => {
  await admin.setPolicy(node, "Delete");
  const calls = delayFirstRemoval(230_000);
  await admin.taint(node, "NoExecute");
  bed.linstor.stopSatellite(addressOf(node));
  await bed.until("LINSTOR was called to give the node up", () => calls() > 0);
  // A person gives it up by hand meanwhile.
  await admin.ask("DELETE", `/v1/nodes/${node}/lost`);
  await admin.untaint(node);
  await admin.replaced(node);
  await placeVolume();
  bed.linstor.stopSatellite(addressOf(node));
  await bed.clock.advance(10 * minutes);
  expect(bed.linstor.goodCopies("pvc-new")).toEqual([node]);
});

test("a DELETE that LINSTOR answers at once keeps the satellite no longer", async () => {
  await bed.delete(LinstorSatellite, node);
  const deleted = bed.clock.now();
  await admin.replaced(node);
  expect(bed.clock.now() - deleted).toBeLessThan(2 * minutes);
});

test("an evacuation that LINSTOR begins late is over before another node is evacuated", async () => {
  await bed.volume("pvc-1", [node, "node-2"]);
  const order: string[] = [];
  bed.answerLinstor(async (request, send) => {
    if (!request.path.endsWith("/evacuate")) return send(request);
    const isFirst = order.push("asked") === 1;
    if (isFirst) await bed.clock.sleep(230_000);
    order.push("carried out");
    return send(request);
  });
  for (const name of [node, "node-2"]) await admin.taint(name, "NoExecute");
  await bed.until("LINSTOR was called twice", () => order.length >= 4);
  expect(order.slice(0, 4)).toEqual(["asked", "carried out", "asked", "carried out"]);
  await bed.clock.advance(5 * minutes);
  expect(bed.linstor.goodCopies("pvc-1")).toHaveLength(2);
});
