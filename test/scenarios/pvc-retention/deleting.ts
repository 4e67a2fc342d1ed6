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
  runningSet,
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
      async run(world) {
        await runningSet(world, { policy });
        const data = await dataOf(world, [0, 1]);
        await deleteSet(world, "Foreground");
        for (const ordinal of [0, 1]) await podIsGone(world, ordinal);
        if (policies[policy].deleted === "go") await dataGoes(world, [0, 1], data);
        else await dataStays(world, [0, 1], data);
      },
    }),
  ),
  {
    title: "a set that is deleted while a replica is being scaled away takes all of its claims along",
    async run(world) {
      await runningSet(world, { policy: both, replicas: 3, stopAfter: 1500 });
      const data = await dataOf(world, [0, 1, 2]);
      await scale(world, 1);
      await deleteSet(world);
      await dataGoes(world, [0, 1, 2], data);
    },
  },
  {
    title: "pods that take their time to stop keep the claims, which go after them",
    async run(world) {
      await runningSet(world, { policy: onDeletion, stopAfter: 1500 });
      const data = await dataOf(world, [0, 1]);
      await askToDelete(world);
      await setIsGone(world);
      await dataGoes(world, [0, 1], data);
      for (const ordinal of [0, 1]) await podIsGone(world, ordinal);
    },
  },
  {
    title: "a set that is made again once its claims are gone starts anew",
    async run(world) {
      await runningSet(world, { policy: onDeletion });
      const data = await dataOf(world, [0, 1]);
      await deleteSet(world);
      await dataGoes(world, [0, 1], data);
      await createSet(world, { policy: onDeletion });
      await podsRun(world, 2);
      const fresh = await dataOf(world, [0, 1]);
      expect(fresh.map(({ volume }) => volume)).not.toContain(data[0]?.volume);
    },
  },
  {
    title: "a set that is made again finds the claims that its policy kept",
    async run(world) {
      await runningSet(world, { policy: "DeleteOnScaledownOnly" });
      const data = await dataOf(world, [0, 1]);
      await deleteSet(world);
      for (const ordinal of [0, 1]) await podIsGone(world, ordinal);
      await createSet(world, { policy: "DeleteOnScaledownOnly" });
      await podsRun(world, 2);
      expect(await dataOf(world, [0, 1])).toEqual(data);
    },
  },
  {
    title: "a set whose own field deletes and that has no policy is left to Kubernetes",
    async run(world) {
      const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" } };
      await runningSet(world, { spec });
      const data = await dataOf(world, [0, 1]);
      for (const ordinal of [0, 1]) await belongsTo(world, ordinal, ["StatefulSet web"]);
      for (const ordinal of [0, 1]) await goesByHand(world, ordinal);
      await world.admin.delete(StatefulSet, world.namespace, set, { propagationPolicy: "Background" });
      await dataGoes(world, [0, 1], data);
    },
  },
];
