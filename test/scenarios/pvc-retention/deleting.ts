import { expect } from "vitest";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { Scenario } from "../scenario.ts";
import {
  askToDelete,
  belongsTo,
  createSet,
  dataGoes,
  dataOf,
  dataStays,
  deleteSet,
  goesByHand,
  podIsGone,
  podsRun,
  runningData,
  scale,
  set,
  setIsGone,
} from "./helpers.ts";
import { both, onDeletion, policies, policyNames } from "./policies.ts";

/** Claims of sets that are deleted. */
export const deleting: readonly Scenario[] = [
  ...policyNames.map(
    (policy): Scenario => ({
      title: `${policy}: claims ${policies[policy].deleted} when the set is deleted in the foreground`,
      async run(cluster) {
        const data = await runningData(cluster, { policy });
        await deleteSet(cluster, "Foreground");
        for (const ordinal of [0, 1]) await podIsGone(cluster, ordinal);
        if (policies[policy].deleted === "go") await dataGoes(cluster, [0, 1], data);
        else await dataStays(cluster, [0, 1], data);
      },
    }),
  ),
  {
    title: "if a set is deleted during a scale-down, all of its claims are deleted",
    async run(cluster) {
      const data = await runningData(cluster, { policy: both, replicas: 3, stopAfter: 1500 });
      await scale(cluster, 1);
      await deleteSet(cluster);
      await dataGoes(cluster, [0, 1, 2], data);
    },
  },
  {
    title: "claims stay while pods are slow to stop, and are deleted after them",
    async run(cluster) {
      const data = await runningData(cluster, { policy: onDeletion, stopAfter: 1500 });
      await askToDelete(cluster);
      await setIsGone(cluster);
      await dataGoes(cluster, [0, 1], data);
      for (const ordinal of [0, 1]) await podIsGone(cluster, ordinal);
    },
  },
  {
    title: "a set that is created again after its claims were deleted has new, empty claims",
    async run(cluster) {
      const data = await runningData(cluster, { policy: onDeletion });
      await deleteSet(cluster);
      await dataGoes(cluster, [0, 1], data);
      await createSet(cluster, { policy: onDeletion });
      await podsRun(cluster, 2);
      const fresh = await dataOf(cluster, [0, 1]);
      expect(fresh.map(({ volume }) => volume)).not.toContain(data[0]?.volume);
    },
  },
  {
    title: "a set that is created again uses the claims that its policy kept",
    async run(cluster) {
      const data = await runningData(cluster, { policy: "DeleteOnScaledownOnly" });
      await deleteSet(cluster);
      for (const ordinal of [0, 1]) await podIsGone(cluster, ordinal);
      await createSet(cluster, { policy: "DeleteOnScaledownOnly" });
      await podsRun(cluster, 2);
      expect(await dataOf(cluster, [0, 1])).toEqual(data);
    },
  },
  {
    title: "a set without a policy whose own field says Delete is left to Kubernetes",
    async run(cluster) {
      const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" } };
      const data = await runningData(cluster, { spec });
      for (const ordinal of [0, 1]) await belongsTo(cluster, ordinal, ["StatefulSet web"]);
      for (const ordinal of [0, 1]) await goesByHand(cluster, ordinal);
      await cluster.admin.delete(StatefulSet, cluster.namespace, set, { propagationPolicy: "Background" });
      await dataGoes(cluster, [0, 1], data);
    },
  },
];
