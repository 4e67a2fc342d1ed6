import { expect, test } from "vitest";
import { LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import { Node } from "../../shared/kubernetes/kind.ts";
import type { SatelliteBed } from "./bed.ts";
import { onBed } from "./on-bed.ts";

let bed: SatelliteBed;

onBed((opened) => {
  bed = opened;
});

test.each([
  ["that share no volume", ["node-1", "node-3"], ["node-2", "node-4"]],
  ["that have both copies of one volume", ["node-1", "node-2"], ["node-1", "node-2"]],
])("two nodes %s are called for one after the other, the second as soon as it is safe", async (_, first, second) => {
  await bed.volume("pvc-1", first);
  await bed.volume("pvc-2", second);
  const taints = [{ key: "test", value: "yes", effect: "NoExecute" }];
  const leaving = ["node-1", "node-2"];
  for (const name of leaving) await bed.merge(Node, name, { spec: { taints } });
  await bed.until("LINSTOR is called for one", () => bed.calls.evacuate.length === 1);
  const called = bed.clock.now();
  await bed.until("LINSTOR is called for the other", () => bed.calls.evacuate.length === 2);
  // A copy takes 20 seconds, and functions look again after 10.
  expect(bed.clock.now() - called).toBeLessThanOrEqual(60_000);
  for (const name of leaving) await bed.until(`${name} is gone`, async () => !(await bed.get(LinstorSatellite, name)));
  expect(bed.calls.atOnce).toBe(1);
  expect(bed.calls.evacuate.toSorted()).toEqual(leaving);
  for (const volume of ["pvc-1", "pvc-2"])
    expect(bed.linstor.goodCopies(volume).toSorted()).toEqual(["node-3", "node-4"]);
});
