import { expect } from "vitest";
import { ConfigMap } from "../../harness/kinds.ts";
import type { Scenario } from "../scenario.ts";
import {
  belongsTo,
  claimOf,
  dataGoes,
  dataOf,
  dataStays,
  deleteSet,
  goesByHand,
  hold,
  letGo,
  orphanPod,
  ownerOf,
  patchClaim,
  podIsGone,
  podsRun,
  referenceTo,
  runningData,
  runningSet,
  scale,
  touchUntil,
} from "./helpers.ts";
import { both, onDeletion, onScaledown } from "./policies.ts";

/**
 * The end-to-end cases of Kubernetes itself (`Non-retain StatefulSetPersistentVolumeClaimPolicy`), with its own policy
 * in our words.
 */
export const upstream: readonly Scenario[] = [
  {
    title: "end to end 1: claims belong to their set, and are deleted with it",
    async run(cluster) {
      const data = await runningData(cluster, { policy: onDeletion, replicas: 3 });
      for (const ordinal of [0, 1, 2]) await belongsTo(cluster, ordinal, ["StatefulSet web"]);
      await deleteSet(cluster);
      await dataGoes(cluster, [0, 1, 2], data);
    },
  },
  {
    title:
      "end to end 2: scaled from 3 to 1, the claims of the two removed replicas are deleted, and the first one stays",
    async run(cluster) {
      const data = await runningData(cluster, { policy: onScaledown, replicas: 3 });
      await scale(cluster, 1);
      await dataGoes(cluster, [1, 2], data.slice(1));
      await podsRun(cluster, 1);
      await dataStays(cluster, [0], data);
    },
  },
  {
    title:
      "end to end 3: a claim that another owner controls survives a scale-down, " +
      "and is deleted at a later one when that owner is gone",
    async run(cluster) {
      const data = await runningData(cluster, { policy: onScaledown, replicas: 3 });
      const owner = await ownerOf(cluster, "other-owner");
      await patchClaim(cluster, 1, { ownerReferences: [referenceTo(owner, { controller: true })] });
      await scale(cluster, 0);
      for (const ordinal of [0, 1, 2]) await podIsGone(cluster, ordinal);
      await dataGoes(cluster, [0, 2], [data[0], data[2]]);
      await dataStays(cluster, [1], data.slice(1));
      await belongsTo(cluster, 1, ["ConfigMap other-owner"]);

      await scale(cluster, 2);
      await podsRun(cluster, 2);
      expect(await dataOf(cluster, [1])).toEqual([data[1]]);
      await patchClaim(cluster, 1, { ownerReferences: [] });
      await scale(cluster, 1);
      await dataGoes(cluster, [1], data.slice(1));
    },
  },
  {
    title: "end to end 4: the claim of a pod that was orphaned and adopted again is deleted with the set",
    async run(cluster) {
      const data = await runningData(cluster, { policy: onDeletion, replicas: 3 });
      await orphanPod(cluster, 0);
      await deleteSet(cluster);
      await dataGoes(cluster, [0, 1, 2], data);
    },
  },
  {
    title: "end to end 5: the claim of a pod that was orphaned and adopted again is deleted at a scale-down",
    async run(cluster) {
      const data = await runningData(cluster, { policy: onScaledown, replicas: 3 });
      await orphanPod(cluster, 2);
      await scale(cluster, 2);
      await dataGoes(cluster, [2], data.slice(2));
      await dataStays(cluster, [0, 1], data);
    },
  },
  {
    title:
      "end to end 6: other owners and finalizers of claims are respected, a reference without its flag is corrected",
    async run(cluster) {
      const live = await runningSet(cluster, { policy: both, replicas: 3 });
      const data = await dataOf(cluster, [0, 1, 2]);
      for (const ordinal of [0, 1, 2]) await belongsTo(cluster, ordinal, ["StatefulSet web"]);
      const owner = await ownerOf(cluster, "other-owner");
      await patchClaim(cluster, 0, { ownerReferences: [referenceTo(owner)] });
      await patchClaim(cluster, 1, { ownerReferences: [referenceTo(live)] });
      await hold(cluster, 2);
      await touchUntil(cluster, "the flag is back", async () => {
        const [reference] = (await claimOf(cluster, 1))?.metadata.ownerReferences ?? [];
        return reference?.uid === live.metadata.uid && reference.controller;
      });
      await belongsTo(cluster, 0, ["ConfigMap other-owner", "StatefulSet web"]);

      await deleteSet(cluster);
      await dataGoes(cluster, [1], data.slice(1));
      await cluster.eventually("the claim that is held is being deleted", async () => {
        return (await claimOf(cluster, 2))?.metadata.deletionTimestamp;
      });
      await dataStays(cluster, [0], data);
      await letGo(cluster, 2);
      await dataGoes(cluster, [2], data.slice(2));
      await goesByHand(cluster, 0);
      await cluster.admin.delete(ConfigMap, cluster.namespace, "other-owner");
      await dataGoes(cluster, [0], data);
    },
  },
];
