import { expect } from "vitest";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { Cluster } from "../../harness/cluster.ts";
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
  runningData,
  runningSet,
  scale,
  set,
  setOf,
  touchUntil,
  volumeGoes,
} from "./helpers.ts";
import { both, onDeletion, onScaledown } from "./policies.ts";

async function startAt({ admin, namespace }: Cluster, start: number, replicas: number): Promise<void> {
  await admin.patch(StatefulSet, namespace, set, "merge", { spec: { replicas, ordinals: { start } } });
}

/**
 * Claims of replicas that are scaled away, which Kubernetes' own controller deletes, and other claims, which stay.
 */
export const scaling: readonly Scenario[] = [
  {
    title: "with spec.ordinals.start, claims at both ends of the range are deleted, and those between stay",
    async run(cluster) {
      const data = await runningData(cluster, { policy: onScaledown, start: 5, replicas: 3 });
      await startAt(cluster, 6, 2);
      await dataGoes(cluster, [5], data);
      await scale(cluster, 1);
      await dataGoes(cluster, [7], data.slice(2));
      await podsRun(cluster, 1);
      await dataStays(cluster, [6], data.slice(1));
    },
  },
  {
    title: "a set that is scaled to zero and back has empty claims or its data, as its policy says",
    async run(cluster) {
      const data = await runningData(cluster, { policy: onDeletion });
      await scale(cluster, 0);
      for (const ordinal of [0, 1]) await podIsGone(cluster, ordinal);
      await scale(cluster, 2);
      await podsRun(cluster, 2);
      expect(await dataOf(cluster, [0, 1])).toEqual(data);

      await runningSet(cluster, { name: "cheap", policy: onScaledown });
      const cheap = await dataOf(cluster, [0, 1], "cheap");
      await scale(cluster, 0, "cheap");
      await dataGoes(cluster, [0, 1], cheap, "cheap");
      await scale(cluster, 2, "cheap");
      await podsRun(cluster, 2, "cheap");
    },
  },
  ...(["OrderedReady", "Parallel"] as const).map(
    (podManagementPolicy): Scenario => ({
      title:
        `${podManagementPolicy}: a replica that is scaled up again while its pod stops has new claims, ` +
        "or all of its former ones",
      async run(cluster) {
        const [first, second] = await runningData(cluster, {
          policy: onScaledown,
          stopAfter: 2500,
          spec: { podManagementPolicy },
        });
        const old = await podOf(cluster, 1);
        await scale(cluster, 1);
        await cluster.eventually("the pod stops", async () => {
          const pod = await podOf(cluster, 1);
          return !pod || pod.metadata.deletionTimestamp;
        });
        await scale(cluster, 2);
        await cluster.eventually("that pod is gone", async () => {
          return (await podOf(cluster, 1))?.metadata.uid !== old?.metadata.uid;
        });
        // Kubernetes' controller waits until an old claim is gone, and does not see it: it takes the next change of the
        // set.
        await touchUntil(cluster, "another pod is there", async () => {
          const uid = (await podOf(cluster, 1))?.metadata.uid;
          return uid !== undefined && uid !== old?.metadata.uid;
        });
        await podIsReplaced(cluster, 1, old?.metadata.uid ?? "");
        await podsRun(cluster, 2);
        await cluster.rest();
        // With Parallel, Kubernetes' controller takes its reference to the old pod off again.
        const [one, other] = await dataOf(cluster, [0, 1]);
        expect(one).toEqual(first);
        if (second && other?.claim !== second.claim) await volumeGoes(cluster, second);
        expect((await claimOf(cluster, 1))?.metadata.deletionTimestamp).toBeUndefined();
      },
    }),
  ),
  {
    title: "a claim that was created for a later replica is kept, also if pods restart before the replica exists",
    async run(cluster) {
      await runningSet(cluster, { policy: both });
      await provideClaim(cluster, 2);
      const data = await dataOf(cluster, [2]);
      await restartPods(cluster, [0, 1]);
      await dataStays(cluster, [2], data);
      await scale(cluster, 3);
      await podsRun(cluster, 3);
      expect(await dataOf(cluster, [2])).toEqual(data);
    },
  },
  {
    title: "a set that is created again with fewer replicas deletes none of the claims that were left",
    async run(cluster) {
      const data = await runningData(cluster, { policy: onScaledown, replicas: 3, stopAfter: 2500 });
      await deleteSet(cluster);
      // Pods of the set before it still stop.
      await createSet(cluster, { policy: both, replicas: 1 });
      for (const ordinal of [1, 2]) await podIsGone(cluster, ordinal);
      await podsRun(cluster, 1);
      await cluster.eventually("the set is followed", async () => isFollowed(await setOf(cluster)));
      await dataStays(cluster, [0, 1, 2], data);
      await deleteSet(cluster);
      await dataGoes(cluster, [0], data);
      await dataStays(cluster, [1, 2], data.slice(1));
    },
  },
  {
    title: "claims of a scale-down under Retain stay when the policy changes to delete at a scale-down",
    async run(cluster) {
      const data = await runningData(cluster, { policy: "Retain", replicas: 3 });
      await scale(cluster, 1);
      for (const ordinal of [1, 2]) await podIsGone(cluster, ordinal);
      await changePolicy(cluster, onScaledown);
      await deletePod(cluster, 0);
      await podsRun(cluster, 1);
      await dataStays(cluster, [0, 1, 2], data);
    },
  },
  {
    title: "claims of a set with twelve replicas are deleted, and kept, as in a small set",
    async run(cluster) {
      const ordinals = Array.from({ length: 13 }, (_, ordinal) => ordinal);
      await runningSet(cluster, { policy: both, replicas: 13 });
      const data = await dataOf(cluster, ordinals);
      await scale(cluster, 12);
      await dataGoes(cluster, [12], data.slice(12));
      await changePolicy(cluster, "Retain");
      await deleteSet(cluster);
      await dataStays(cluster, ordinals.slice(0, 12), data);
    },
  },
  {
    title: "with two templates, both claims of a replica go",
    async run(cluster) {
      const data = await runningData(cluster, { policy: onScaledown, templates: ["data", "logs"] });
      const logs = await dataOf(cluster, [0, 1], set, "logs");
      await scale(cluster, 1);
      await dataGoes(cluster, [1], data.slice(1));
      await dataGoes(cluster, [1], logs.slice(1), set, "logs");
      await dataStays(cluster, [0], data);
      await dataStays(cluster, [0], logs, set, "logs");
    },
  },
];
