import { expect } from "vitest";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { Cluster } from "../../harness/cluster.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateNamespace,
  annotateSet,
  belongsTo,
  createSet,
  dataOf,
  dataStays,
  deleteSet,
  fieldOf,
  inForce,
  isForgotten,
  podIsGone,
  podsRun,
  policyKey,
  runningData,
  runningSet,
  scale,
  set,
  setOf,
} from "./helpers.ts";
import { both, onDeletion, onScaledown } from "./policies.ts";
import { admitted } from "./settings.ts";

/**
 * A real API server learns of admission policies by watching them: waits until this one changes a set as it is created.
 */
async function isAdmitted(cluster: Cluster): Promise<void> {
  const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" } };
  let probes = 0;
  await cluster.eventually("the admission policy of PVC retention is in force", async () => {
    const name = `probe-${++probes}`;
    await createSet(cluster, { name, replicas: 0, policy: "Retain", spec });
    return (await fieldOf(cluster, name)) === "Retain/Retain";
  });
}

/** One write: another policy, and only one replica. */
async function changeAndScale({ admin, namespace }: Cluster, policy: string | null): Promise<void> {
  const metadata = { annotations: { [policyKey]: policy } };
  await admin.patch(StatefulSet, namespace, set, "merge", { metadata, spec: { replicas: 1 } });
}

const scenarios: readonly Scenario[] = [
  ...["Retain", "no such policy", onDeletion, null].map(
    (policy): Scenario => ({
      title: `fewer replicas and ${policy ?? "no policy any more"} may come in one write, and no claim goes`,
      async run(cluster) {
        await isAdmitted(cluster);
        const data = await runningData(cluster, { policy: both, replicas: 3 });
        await changeAndScale(cluster, policy);
        await podIsGone(cluster, 1);
        await podIsGone(cluster, 2);
        await dataStays(cluster, [0, 1, 2], data);
        await scale(cluster, 3);
        await podsRun(cluster, 3);
        await dataStays(cluster, [0, 1, 2], data);
        if (policy === null) await isForgotten(cluster);
      },
    }),
  ),
  {
    title: "a policy that is set to Retain is in force for a deletion that follows at once",
    async run(cluster) {
      await isAdmitted(cluster);
      const data = await runningData(cluster, { policy: onScaledown });
      await annotateSet(cluster, { [policyKey]: "Retain" });
      await deleteSet(cluster);
      await dataStays(cluster, [0, 1], data);
      for (const ordinal of [0, 1]) await belongsTo(cluster, ordinal, []);
    },
  },
  {
    title: "if a namespace changes its policy to Retain, its sets keep their claims from their next write on",
    async run(cluster) {
      await isAdmitted(cluster);
      await annotateNamespace(cluster, { [policyKey]: both });
      await runningSet(cluster);
      await inForce(cluster, both);
      const data = await dataOf(cluster, [0, 1]);
      await annotateNamespace(cluster, { [policyKey]: "Retain" });
      // The policy sees the namespace by a watch of the API server's own: a moment later, and still before
      // sync-policy while that is away.
      await cluster.eventually("the field keeps", async () => {
        await annotateSet(cluster, { "scenario.example/touched": "admitting" });
        return (await fieldOf(cluster)) === "Retain/Retain";
      });
      await scale(cluster, 1);
      await podIsGone(cluster, 1);
      await dataStays(cluster, [0, 1], data);
    },
  },
  {
    title: "the admission policy and sync-policy do not change the field against each other",
    async run(cluster) {
      await isAdmitted(cluster);
      await runningSet(cluster, { policy: both });
      for (const policy of [onScaledown, "Retain", onDeletion, both, onScaledown] as const) {
        await annotateSet(cluster, { [policyKey]: policy });
        await inForce(cluster, policy);
        const before = (await setOf(cluster)).metadata.resourceVersion;
        await cluster.rest();
        expect((await setOf(cluster)).metadata.resourceVersion).toBe(before);
      }
      await annotateSet(cluster, { [policyKey]: null });
      await isForgotten(cluster);
      await cluster.rest();
      expect(await fieldOf(cluster)).toBe("Retain/Retain");
    },
  },
];

/** What holds in the very write, where the admission policy is installed. */
export const admitting: readonly Scenario[] = scenarios.map((scenario) => ({ ...scenario, settings: [admitted] }));
