import { describe, expect } from "vitest";
import { policyFor } from "../../eventing/delivery/policy.ts";
import { ConfigMap, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Setting } from "../harness/cluster.ts";
import { staleSubscribers } from "../harness/faults/stale-subscribers.ts";
import { pod } from "../harness/manifest.ts";
import { openCluster } from "../harness/open-cluster.ts";
import { clusterLife } from "./pvc-protection/cluster-life.ts";
import { protectedClaim } from "./pvc-protection/helpers.ts";
import { watchInvariants } from "./pvc-protection/invariants.ts";
import { beside } from "./pvc-protection/settings.ts";
import { noticesOn } from "./recorded-events.ts";
import { runScenarios } from "./run-scenarios.ts";
import type { Scenario } from "./scenario.ts";

// Knative's channels keep subscribers when many Triggers change at once: what the functions do must be the same.

const worlds = { open: openCluster, watch: watchInvariants };

/** The life of a claim in another setting; how often functions are called is what differs. */
const movedTo = (setting: Setting): readonly Scenario[] =>
  clusterLife
    .filter(({ settings, title }) => (settings?.includes(beside) ?? true) && !title.includes("trigger no function"))
    .map((scenario) => ({ ...scenario, settings: [setting] }));

describe("PVC protection whose Triggers were all changed at once", () => {
  const before = policyFor({ retry: 3, backoffPolicy: "linear", backoffDelay: 200, timeout: 5_000 }, undefined);
  const setting: Setting = {
    ...beside,
    name: "whose functions have every event twice",
    createBroker: staleSubscribers({ changed: { policy: before } }),
  };
  runScenarios(movedTo(setting), [setting], worlds);
});

describe("PVC protection beside Triggers that were deleted at once", () => {
  const setting: Setting = {
    ...beside,
    name: "whose brokers fail with every event for a Trigger that is gone",
    createBroker: staleSubscribers({ deleted: ["pvc-retention-grace-storage", "pvc-retention-forgive-workloads"] }),
  };
  const bystanders: Scenario = {
    title: "no object is blamed for it, and few of these events are kept, so that others are not lost for them",
    within: true,
    async run(cluster) {
      const { admin, namespace, clock } = cluster;
      await protectedClaim(cluster, "data");
      for (let index = 0; index < 12; index++)
        await admin.create(Pod, pod({ namespace, name: `plain-${index}` }, index === 0 ? ["data"] : []));
      const kept = async () => {
        const ringBuffer = await admin.get<KubernetesObject & { data?: Record<string, string> }>(
          ConfigMap,
          "holdfast",
          "holdfast-dead-letters",
        );
        return Object.values(ringBuffer?.data ?? {}).map((text) => JSON.parse(text) as { destination: string });
      };
      await cluster.eventually("events are dead-lettered", async () => (await kept()).length > 0, 60_000);
      // Long enough for every retry of every event.
      await cluster.eventually("all are", () => clock.now() > began + 120_000, 180_000);
      expect((await kept()).map(({ destination }) => destination)).toEqual(["", "", "", "", ""]);
      expect(cluster.deliveries.filter(({ rule }) => rule === "platform/dead-letter").length).toBeGreaterThan(10);
      for (const [kind, name] of [
        ["Pod", "plain-0"],
        ["Pod", "plain-5"],
        ["PersistentVolumeClaim", "data"],
      ] as const)
        expect((await noticesOn(cluster, kind, name)).map(({ reason }) => reason)).not.toContain("EventDeadLettered");
    },
  };
  const began = Date.parse("2026-01-01T00:00:00Z");
  // What fails is of Triggers that are gone: functions have no other events than elsewhere.
  runScenarios([...movedTo(setting), { ...bystanders, settings: [setting] }], [setting], worlds);
});
