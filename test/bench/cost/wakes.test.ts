import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../manifests/kustomization.ts";
import { furnishBusy, keepBusy } from "./busy.ts";
import { measureEvents } from "./events.ts";
import { openPlane, type Plane } from "./plane.ts";

const changes = 600;

let plane: Plane;
beforeAll(async () => {
  plane = await openPlane([`${root}/knative`]);
});
afterAll(() => plane.stop());

test("a busy cluster in which nothing is deleted, scaled or evicted wakes no function", async () => {
  expect(plane.functions).toEqual(expect.arrayContaining(["pvc-protection-release", "pvc-retention-grace"]));
  await furnishBusy(plane.admin);
  const { events, wakes } = await plane.measure(() => keepBusy(plane.admin, changes));
  expect(events).toBeGreaterThan(changes / 2);
  expect([...wakes]).toEqual([]);
});

test("the option pod-updates is what it costs to be woken by them", async () => {
  const optional = await openPlane([`${root}/knative`, `${root}/knative/pvc-protection/pod-updates`]);
  await furnishBusy(optional.admin);
  const { wakes } = await optional.measure(() => keepBusy(optional.admin, 20));
  await optional.stop();
  expect([...wakes.keys()].sort()).toEqual(["pvc-protection-release", "pvc-protection-warn"]);
});

test("new and running pods, and new claims, wake nobody, and cost no more requests than are agreed on", async () => {
  const costs = new Map((await measureEvents(plane)).map((cost) => [cost.what, cost]));
  for (const what of ["Pod created", "Pod updated", "PersistentVolumeClaim created"])
    expect([what, costs.get(what)?.wakes]).toEqual([what, []]);
  // Each Trigger on a broker is one more request for every event of it; pods are what changes most.
  expect(costs.get("Pod updated")?.requests).toBeLessThanOrEqual(9);
  expect(costs.get("PersistentVolumeClaim created")?.requests).toBeLessThanOrEqual(9);
});
