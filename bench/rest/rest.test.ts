import { expect, onTestFinished, test } from "vitest";
import { openRestingCluster, type RestingOptions } from "./measure.ts";
import { oneVolume, threeSatellites, together, withAdmissionPolicy } from "./systems.ts";
import { tiedClaim, withOwnPods } from "./variants.ts";

const hour = 3_600_000;

async function resting(options?: RestingOptions) {
  const cluster = await openRestingCluster(options);
  onTestFinished(() => cluster.stop());
  return cluster;
}

test("in an hour without a change no function runs but the sweep, and no source sends an event", async () => {
  const { rest } = await resting();
  const { wakes, events } = await rest(hour);
  expect([...wakes]).toEqual([["platform-sweep", 12]]);
  expect(events).toBe(0);
});

test("all of Holdfast takes at most 600 pod-seconds an hour while nothing changes, resyncs included", async () => {
  const { rest } = await resting();
  const { wakes, podSeconds } = await rest(6 * hour);
  expect(wakes.get("pvc-protection-protect")).toBe(1);
  expect(podSeconds / 6).toBeLessThanOrEqual(600);
  expect(podSeconds / 6).toBeGreaterThan(12 * 36);
});

test("with a claim that set-owner has tied, each sweep triggers it alone, and no source sends an event", async () => {
  const { rest } = await resting({ populate: tiedClaim });
  const { wakes, events } = await rest(hour);
  expect([...wakes]).toEqual([
    ["platform-sweep", 12],
    ["pvc-retention-set-owner", 12],
  ]);
  expect(events).toBe(0);
});

test("with a Volume, one function looks once an hour, alone, and no source sends an event", async () => {
  const { rest } = await resting({ system: oneVolume });
  const { wakes, events } = await rest(hour);
  expect([...wakes]).toEqual([
    ["platform-sweep", 12],
    ["volume-refresh-device-name", 1],
  ]);
  expect(events).toBe(0);
});

test("with satellites, two ask LINSTOR and one looks at Machines once an hour, and one hears of Nodes", async () => {
  const { rest } = await resting({ system: threeSatellites });
  const { wakes } = await rest(hour);
  expect([...wakes.keys()].toSorted()).toEqual([
    "platform-sweep",
    "satellite-create",
    "satellite-register",
    "satellite-restore",
    "satellite-set-hooks",
  ]);
  expect(wakes.get("satellite-set-hooks")).toBe(1);
  expect(wakes.get("satellite-register")).toBe(1);
});

test("with the admission policy no heartbeat triggers a function: all systems take 900 pod-seconds", async () => {
  const { rest } = await resting({ system: together(oneVolume, withAdmissionPolicy(threeSatellites)) });
  const { wakes, podSeconds } = await rest(6 * hour);
  // The resync.
  expect(wakes.get("satellite-create")).toBe(1);
  expect(podSeconds / 6).toBeLessThanOrEqual(900);
});

test("without the sources' selector the sweep's pods trigger functions, whose pods trigger them again", async () => {
  const { rest } = await resting({ edit: withOwnPods });
  const { wakes, events } = await rest(hour);
  expect(events).toBeGreaterThan(100);
  expect([...wakes.keys()]).toContain("pvc-protection-release");
});
