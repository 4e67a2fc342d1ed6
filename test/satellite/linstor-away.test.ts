import { expect, test } from "vitest";
import { LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import type { Administrator } from "./administrator.ts";
import type { SatelliteBed } from "./bed.ts";
import { onBed } from "./on-bed.ts";

let bed: SatelliteBed;
let admin: Administrator;
const node = "node-1";
const minutes = 60_000;

onBed((opened, administrator) => {
  bed = opened;
  admin = administrator;
});

test("a Machine that is deleted while LINSTOR is away is evacuated within a sweep of its return", async () => {
  await bed.machine("control", "node-4", { labels: { "cluster.x-k8s.io/control-plane": "" } });
  await bed.machine("worker", node);
  await admin.hooked("worker");
  await bed.volume("pvc-1", [node, "node-2"]);
  bed.answerLinstor(async () => {
    throw new Error("connect ECONNREFUSED");
  });
  await bed.delete(Machine, "worker");
  await bed.clock.advance(20 * minutes);
  bed.failures.length = 0;
  bed.answerLinstor();
  await bed.clock.advance(2 * minutes);
  expect(bed.calls.evacuate).toEqual([node]);
  await admin.gone(Machine, "worker");
  await admin.gone(LinstorSatellite, node);
  expect(bed.linstor.goodCopies("pvc-1")).toHaveLength(2);
});
