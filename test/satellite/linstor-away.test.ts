import { expect, test } from "vitest";
import { LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import type { Administrator } from "./administrator.ts";
import type { SatelliteHarness } from "./harness.ts";
import { withHarness } from "./with-harness.ts";

let harness: SatelliteHarness;
let admin: Administrator;
const node = "node-1";
const minutes = 60_000;

withHarness((opened, administrator) => {
  harness = opened;
  admin = administrator;
});

test("a Machine that is deleted while LINSTOR is away is evacuated within a sweep of its return", async () => {
  await harness.machine("control", "node-4", { labels: { "cluster.x-k8s.io/control-plane": "" } });
  await harness.machine("worker", node);
  await admin.hooked("worker");
  await harness.volume("pvc-1", [node, "node-2"]);
  harness.answerLinstor(async () => {
    throw new Error("connect ECONNREFUSED");
  });
  await harness.delete(Machine, "worker");
  await harness.clock.advance(20 * minutes);
  harness.failures.length = 0;
  harness.answerLinstor();
  await harness.clock.advance(2 * minutes);
  expect(harness.calls.evacuate).toEqual([node]);
  await admin.gone(Machine, "worker");
  await admin.gone(LinstorSatellite, node);
  expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
});
