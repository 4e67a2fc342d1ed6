import { expect } from "vitest";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { World } from "../../worlds/world.ts";
import type { Scenario } from "../scenario.ts";
import {
  changePolicy,
  claimOf,
  createSet,
  dataGoes,
  dataOf,
  dataStays,
  deletePod,
  deleteSet,
  isFollowed,
  podIsGone,
  podIsReplaced,
  podOf,
  podsRun,
  provideClaim,
  restartPods,
  runningSet,
  scale,
  set,
  setOf,
  touchUntil,
  volumeGoes,
} from "./helpers.ts";
import { both, onDeletion, onScaledown } from "./policies.ts";

async function startAt({ admin, namespace }: World, start: number, replicas: number): Promise<void> {
  await admin.patch(StatefulSet, namespace, set, "merge", { spec: { replicas, ordinals: { start } } });
}

/**
 * Claims of replicas that are scaled away, which Kubernetes' own controller deletes, and claims that were not, which
 * nobody does.
 */
export const scaling: readonly Scenario[] = [
  {
    title: "with spec.ordinals.start claims go at both ends of the range, and those between stay",
    async run(world) {
      await runningSet(world, { policy: onScaledown, start: 5, replicas: 3 });
      const data = await dataOf(world, [5, 6, 7]);
      await startAt(world, 6, 2);
      await dataGoes(world, [5], data);
      await scale(world, 1);
      await dataGoes(world, [7], data.slice(2));
      await podsRun(world, 1);
      await dataStays(world, [6], data.slice(1));
    },
  },
  {
    title: "scaled to nothing and back, a set starts anew where its claims go, and goes on where they stay",
    async run(world) {
      await runningSet(world, { policy: onDeletion });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 0);
      for (const ordinal of [0, 1]) await podIsGone(world, ordinal);
      await scale(world, 2);
      await podsRun(world, 2);
      expect(await dataOf(world, [0, 1])).toEqual(data);

      await runningSet(world, { name: "cheap", policy: onScaledown });
      const cheap = await dataOf(world, [0, 1], "cheap");
      await scale(world, 0, "cheap");
      await dataGoes(world, [0, 1], cheap, "cheap");
      await scale(world, 2, "cheap");
      await podsRun(world, 2, "cheap");
    },
  },
  ...(["OrderedReady", "Parallel"] as const).map(
    (podManagementPolicy): Scenario => ({
      title:
        `${podManagementPolicy}: a replica that is wanted again while its pod stops gets a fresh claim, ` +
        "or all of its own",
      async run(world) {
        await runningSet(world, { policy: onScaledown, stopAfter: 2500, spec: { podManagementPolicy } });
        const [first, second] = await dataOf(world, [0, 1]);
        const old = await podOf(world, 1);
        await scale(world, 1);
        await world.eventually("the pod stops", async () => {
          const pod = await podOf(world, 1);
          return !pod || pod.metadata.deletionTimestamp;
        });
        await scale(world, 2);
        await world.eventually("that pod is gone", async () => {
          return (await podOf(world, 1))?.metadata.uid !== old?.metadata.uid;
        });
        // Kubernetes' controller waits until an old claim is gone, and does not see it: it takes the next change of the
        // set.
        await touchUntil(world, "another pod is there", async () => {
          const uid = (await podOf(world, 1))?.metadata.uid;
          return uid !== undefined && uid !== old?.metadata.uid;
        });
        await podIsReplaced(world, 1, old?.metadata.uid ?? "");
        await podsRun(world, 2);
        await world.rest();
        // With Parallel, Kubernetes' controller takes its reference to the old pod off again.
        const [one, other] = await dataOf(world, [0, 1]);
        expect(one).toEqual(first);
        if (second && other?.claim !== second.claim) await volumeGoes(world, second);
        expect((await claimOf(world, 1))?.metadata.deletionTimestamp).toBeUndefined();
      },
    }),
  ),
  {
    title: "a claim that is made for a replica to come is kept, however often pods restart before it comes",
    async run(world) {
      await runningSet(world, { policy: both });
      await provideClaim(world, 2);
      const data = await dataOf(world, [2]);
      await restartPods(world, [0, 1]);
      await dataStays(world, [2], data);
      await scale(world, 3);
      await podsRun(world, 3);
      expect(await dataOf(world, [2])).toEqual(data);
    },
  },
  {
    title: "a set that is made again with fewer replicas takes nothing of what was left for it",
    async run(world) {
      await runningSet(world, { policy: onScaledown, replicas: 3, stopAfter: 2500 });
      const data = await dataOf(world, [0, 1, 2]);
      await deleteSet(world);
      // Pods of the set before it still stop.
      await createSet(world, { policy: both, replicas: 1 });
      for (const ordinal of [1, 2]) await podIsGone(world, ordinal);
      await podsRun(world, 1);
      await world.eventually("the set is followed", async () => isFollowed(await setOf(world)));
      await dataStays(world, [0, 1, 2], data);
      await deleteSet(world);
      await dataGoes(world, [0], data);
      await dataStays(world, [1, 2], data.slice(1));
    },
  },
  {
    title: "claims that were scaled away under Retain stay when the policy turns to delete those of a scale-down",
    async run(world) {
      await runningSet(world, { policy: "Retain", replicas: 3 });
      const data = await dataOf(world, [0, 1, 2]);
      await scale(world, 1);
      for (const ordinal of [1, 2]) await podIsGone(world, ordinal);
      await changePolicy(world, onScaledown);
      await deletePod(world, 0);
      await podsRun(world, 1);
      await dataStays(world, [0, 1, 2], data);
    },
  },
  {
    title: "in a set of a dozen replicas claims go, and stay, as in a small one",
    async run(world) {
      const ordinals = Array.from({ length: 13 }, (_, ordinal) => ordinal);
      await runningSet(world, { policy: both, replicas: 13 });
      const data = await dataOf(world, ordinals);
      await scale(world, 12);
      await dataGoes(world, [12], data.slice(12));
      await changePolicy(world, "Retain");
      await deleteSet(world);
      await dataStays(world, ordinals.slice(0, 12), data);
    },
  },
  {
    title: "with two templates, both claims of a replica go",
    async run(world) {
      await runningSet(world, { policy: onScaledown, templates: ["data", "logs"] });
      const data = await dataOf(world, [0, 1]);
      const logs = await dataOf(world, [0, 1], set, "logs");
      await scale(world, 1);
      await dataGoes(world, [1], data.slice(1));
      await dataGoes(world, [1], logs.slice(1), set, "logs");
      await dataStays(world, [0], data);
      await dataStays(world, [0], logs, set, "logs");
    },
  },
];
