import { expect } from "vitest";
import { Pod } from "../../../shared/kubernetes/kind.ts";
import type { World } from "../../worlds/world.ts";
import { callsOf } from "../calls-of.ts";
import type { Scenario } from "../scenario.ts";
import { settled } from "../settled.ts";
import { protectedClaim, runningPod } from "./helpers.ts";
import { documentMode, strict } from "./settings.ts";

async function heartbeats(world: World, beats: number): Promise<void> {
  const { admin, namespace } = world;
  for (let beat = 0; beat < beats; beat++) {
    const lastProbeTime = new Date(Date.parse("2026-01-01T00:00:00Z") + beat * 10_000)
      .toISOString()
      .replace(".000", "");
    const conditions = [{ type: "Ready", status: "True", lastProbeTime }];
    for (const name of ["one", "two"])
      await admin.patch(Pod, namespace, name, "merge", { status: { conditions } }, { subresource: "status" });
  }
}

async function busyCluster(world: World): Promise<void> {
  for (const name of ["a", "b"]) await protectedClaim(world, name);
  await runningPod(world, "one", ["a"]);
  await runningPod(world, "two", ["b"]);
  await settled(world);
}

const ofPods = ({ deliveries }: World) => deliveries.filter(({ event }) => event.kind === Pod.kind).length;

/** What a busy cluster costs in which nothing is deleted. */
export const quiet: readonly Scenario[] = [
  {
    title: "heartbeats of pods trigger no function",
    within: true,
    settings: strict,
    async run(world) {
      await busyCluster(world);
      const before = ofPods(world);
      await heartbeats(world, 10);
      await settled(world);
      expect(ofPods(world)).toBe(before);
    },
  },
  {
    title: "heartbeats of pods cost no call to the API server, although they trigger the functions",
    within: true,
    settings: [documentMode],
    async run(world) {
      await busyCluster(world);
      const before = { deliveries: ofPods(world), calls: callsOf(world, "pvc-protection").length };
      await heartbeats(world, 10);
      await world.eventually("heartbeats trigger functions", () => ofPods(world) > before.deliveries);
      await settled(world);
      expect(callsOf(world, "pvc-protection").length).toBe(before.calls);
    },
  },
];
