import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { readManifests } from "../../eventing/read-manifests.ts";
import { KnativeService } from "../../local/serving/kind.ts";
import { readService } from "../../local/serving/plan.ts";
import { createFunctionPods } from "../../local/serving/pods.ts";
import { PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import { claim } from "../../test/harness/manifest.ts";
import { root } from "../../test/manifests/kustomization.ts";
import { aPod, furnishBusy, keepBusy } from "./busy.ts";
import { measureEvents } from "./events.ts";
import { openPlane, type Plane } from "./plane.ts";

const changes = 600;

let plane: Plane;
beforeAll(async () => {
  plane = await openPlane([`${root}/knative`]);
});
afterAll(() => plane.stop());

test("a busy cluster in which nothing is deleted, scaled or evicted triggers no function", async () => {
  expect(plane.functions).toEqual(expect.arrayContaining(["pvc-protection-release", "pvc-retention-set-owner"]));
  await furnishBusy(plane.admin);
  const { events, wakes } = await plane.measure(() => keepBusy(plane.admin, changes));
  expect(events).toBeGreaterThan(changes / 2);
  expect([...wakes]).toEqual([]);
});

test(
  "a new claim that is bound and a new pod trigger nothing of PVC retention, " +
    "and their creation at most two functions of all",
  async () => {
    const all = await openPlane([`${root}/knative`, `${root}/knative/pvc-protection/claim-adds`]);
    const { admin } = all;
    const created = await all.measure(async () => {
      await admin.create(PersistentVolumeClaim, claim({ namespace: "default", name: "data" }));
      await admin.create(Pod, aPod("reader", "node-0", "data"));
    });
    expect([...created.wakes.keys()]).toEqual(["pvc-protection-protect"]);
    // Being bound is an update, which may be that of a claim which is being deleted: that is for PVC protection.
    const bound = await all.measure(() =>
      admin.patch(PersistentVolumeClaim, "default", "data", "merge", { spec: { volumeName: "pv" } }),
    );
    await all.stop();
    expect([...bound.wakes.keys()].filter((name) => name.startsWith("pvc-retention-"))).toEqual([]);
  },
);

test("pods of our own functions, and of the sources' adapters, come and go without an event", async () => {
  const { events, wakes } = await plane.measure(async () => {
    const failed = (pod: string, error: unknown) => expect.fail(`${pod}: ${error}`);
    const pods = createFunctionPods({ client: plane.admin, random: seededRandom(7), failed });
    const services = readManifests([`${root}/knative`]).filter(
      ({ object }) => object.apiVersion === KnativeService.apiVersion,
    );
    expect(services.length).toBe(plane.functions.length);
    const ends = services.map(({ object }) =>
      pods.begin({ ...readService(object).plan, namespace: "default" }, "a-00001"),
    );
    await pods.settled();
    const [pod] = await Array.fromAsync(plane.admin.list(Pod, { labelSelector: "app=a-00001" }));
    const status = { phase: "Running" };
    await plane.admin.patch(Pod, "default", pod?.metadata.name ?? "", "merge", { status }, { subresource: "status" });
    for (const end of ends) end();
    await pods.settled();
    const labels = { "eventing.knative.dev/source": "apiserver-source-controller" };
    const adapter = aPod("adapter", "node-0");
    await plane.admin.create(Pod, { ...adapter, metadata: { ...adapter.metadata, labels } });
    await plane.admin.delete(Pod, "default", "adapter", { gracePeriodSeconds: 0 });
  });
  expect(events).toBe(0);
  expect([...wakes]).toEqual([]);
});

test("the option pod-updates is what it costs to be triggered by them", async () => {
  const optional = await openPlane([`${root}/knative`, `${root}/knative/pvc-protection/pod-updates`]);
  await furnishBusy(optional.admin);
  const { wakes } = await optional.measure(() => keepBusy(optional.admin, 20));
  await optional.stop();
  expect([...wakes.keys()].sort()).toEqual(["pvc-protection-release", "pvc-protection-warn"]);
});

test("new and running pods and new claims trigger nothing, and docs/numbers.md has what each event costs", async () => {
  const costs = new Map((await measureEvents(plane)).map((cost) => [cost.what, cost]));
  for (const what of ["Pod created", "Pod updated", "PersistentVolumeClaim created"])
    expect([what, costs.get(what)?.wakes]).toEqual([what, []]);
  // Each Trigger on a broker is one more request for every event of it; pods are what changes most.
  expect(costs.get("Pod updated")?.requests).toBeLessThanOrEqual(5);
  expect(costs.get("PersistentVolumeClaim created")?.requests).toBeLessThanOrEqual(9);
  const page = readFileSync(`${root}/docs/numbers.md`, "utf8").replaceAll(/ +/g, " ");
  for (const { what, events, requests, bytes, wakes } of costs.values())
    expect(page).toContain(`| ${what} | ${events} | ${requests} | ${(bytes / 1000).toFixed(0)} kB | ${wakes.length} |`);
});
