import { expect } from "vitest";
import { Pod } from "../../../shared/kubernetes/kind.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { callsOf } from "../calls-of.ts";
import type { Scenario } from "../scenario.ts";
import { settled } from "../settled.ts";
import { protectedClaim, runningPod } from "./helpers.ts";
import { documentMode } from "./settings.ts";

async function heartbeats(cluster: Cluster, beats: number): Promise<void> {
  const { admin, namespace } = cluster;
  for (let beat = 0; beat < beats; beat++) {
    const lastProbeTime = new Date(Date.parse("2026-01-01T00:00:00Z") + beat * 10_000)
      .toISOString()
      .replace(".000", "");
    const conditions = [{ type: "Ready", status: "True", lastProbeTime }];
    for (const name of ["one", "two"])
      await admin.patch(Pod, namespace, name, "merge", { status: { conditions } }, { subresource: "status" });
  }
}

async function busyCluster(cluster: Cluster): Promise<void> {
  for (const name of ["a", "b"]) await protectedClaim(cluster, name);
  await runningPod(cluster, "one", ["a"]);
  await runningPod(cluster, "two", ["b"]);
  await settled(cluster);
}

const ofPods = ({ deliveries }: Cluster) => deliveries.filter(({ event }) => event.kind === Pod.kind).length;

/** What a busy cluster costs in which nothing is deleted. */
export const quiet: readonly Scenario[] = [
  {
    title: "heartbeats of pods trigger no function",
    within: true,
    async run(cluster) {
      await busyCluster(cluster);
      const before = ofPods(cluster);
      await heartbeats(cluster, 10);
      await settled(cluster);
      expect(ofPods(cluster)).toBe(before);
    },
  },
  {
    title: "heartbeats of pods cost no call to the API server, although they trigger the functions",
    within: true,
    settings: [documentMode],
    async run(cluster) {
      await busyCluster(cluster);
      const before = { deliveries: ofPods(cluster), calls: callsOf(cluster, "pvc-protection").length };
      await heartbeats(cluster, 10);
      await cluster.eventually("heartbeats trigger functions", () => ofPods(cluster) > before.deliveries);
      await settled(cluster);
      expect(callsOf(cluster, "pvc-protection").length).toBe(before.calls);
    },
  },
];
