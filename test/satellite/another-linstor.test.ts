import { expect, test } from "vitest";
import { LinstorCluster, LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { linstor } from "../../functions/satellite/lib/linstor/system.ts";
import { preDrainHook, preTerminateHook } from "../../functions/satellite/lib/names.ts";
import type { SatelliteBed } from "./bed.ts";
import { onBed } from "./on-bed.ts";

let bed: SatelliteBed;
const node = "node-1";
const { linstorUrl } = linstor.settings.parse({});

onBed((opened) => {
  bed = opened;
});

const external = (url: string) =>
  bed.merge(LinstorCluster, "linstorcluster", { spec: { externalController: { url } } });

test("a LinstorCluster of another LINSTOR: none is asked to do anything, the Machine waits, and says so", async () => {
  await external("http://other:3370");
  await bed.until("it is said", async () => (await bed.condition(node, "HoldfastActive"))?.reason === "AnotherLinstor");
  expect((await bed.condition(node, "HoldfastActive"))?.message).toContain("to http://other:3370");
  await bed.machine("control", "node-4", { labels: { "cluster.x-k8s.io/control-plane": "" } });
  await bed.machine("worker", node);
  await bed.until("the Machine waits", async () => (await hooks("worker")).includes(preTerminateHook));
  await bed.volume("pvc-1", [node, "node-2"]);
  await bed.delete(Machine, "worker");
  const before = bed.history.length;
  await bed.clock.advance(600_000);
  expect(bed.calls.evacuate).toEqual([]);
  expect(bed.history.slice(before).filter((line) => line.includes(" call: "))).toEqual([]);
  expect(await hooks("worker")).toEqual(expect.arrayContaining([preDrainHook, preTerminateHook]));
  expect(await bed.get(LinstorSatellite, node)).toBeDefined();

  await external(`${linstorUrl}/`);
  await bed.until("it is taken back", async () => (await bed.condition(node, "HoldfastActive"))?.status === "True");
  // As the sweep would later.
  await bed.merge(Machine, "worker", { metadata: { labels: { touched: "yes" } } });
  await bed.until("the satellite is gone", async () => !(await bed.get(LinstorSatellite, node)));
  expect(bed.linstor.goodCopies("pvc-1")).not.toContain(node);
});

const hooks = async (name: string) => Object.keys((await bed.get(Machine, name))?.metadata.annotations ?? {});
