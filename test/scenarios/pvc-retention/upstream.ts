import { expect } from "vitest";
import { ConfigMap } from "../../worlds/kinds.ts";
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
    async run(world) {
      await runningSet(world, { policy: onDeletion, replicas: 3 });
      const data = await dataOf(world, [0, 1, 2]);
      for (const ordinal of [0, 1, 2]) await belongsTo(world, ordinal, ["StatefulSet web"]);
      await deleteSet(world);
      await dataGoes(world, [0, 1, 2], data);
    },
  },
  {
    title: "end to end 2: scaled from 3 to 1, the claims of the two that went are deleted, and the first one stays",
    async run(world) {
      await runningSet(world, { policy: onScaledown, replicas: 3 });
      const data = await dataOf(world, [0, 1, 2]);
      await scale(world, 1);
      await dataGoes(world, [1, 2], data.slice(1));
      await podsRun(world, 1);
      await dataStays(world, [0], data);
    },
  },
  {
    title:
      "end to end 3: a claim that somebody else controls survives a scale-down, " +
      "and goes with a later one when it is free",
    async run(world) {
      await runningSet(world, { policy: onScaledown, replicas: 3 });
      const data = await dataOf(world, [0, 1, 2]);
      const owner = await ownerOf(world, "somebody");
      await patchClaim(world, 1, { ownerReferences: [referenceTo(owner, { controller: true })] });
      await scale(world, 0);
      for (const ordinal of [0, 1, 2]) await podIsGone(world, ordinal);
      await dataGoes(world, [0, 2], [data[0], data[2]]);
      await dataStays(world, [1], data.slice(1));
      await belongsTo(world, 1, ["ConfigMap somebody"]);

      await scale(world, 2);
      await podsRun(world, 2);
      expect(await dataOf(world, [1])).toEqual([data[1]]);
      await patchClaim(world, 1, { ownerReferences: [] });
      await scale(world, 1);
      await dataGoes(world, [1], data.slice(1));
    },
  },
  {
    title: "end to end 4: the claim of a pod that was orphaned and taken back goes with the set",
    async run(world) {
      await runningSet(world, { policy: onDeletion, replicas: 3 });
      const data = await dataOf(world, [0, 1, 2]);
      await orphanPod(world, 0);
      await deleteSet(world);
      await dataGoes(world, [0, 1, 2], data);
    },
  },
  {
    title: "end to end 5: the claim of a pod that was orphaned and taken back goes when it is scaled away",
    async run(world) {
      await runningSet(world, { policy: onScaledown, replicas: 3 });
      const data = await dataOf(world, [0, 1, 2]);
      await orphanPod(world, 2);
      await scale(world, 2);
      await dataGoes(world, [2], data.slice(2));
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title:
      "end to end 6: other owners and finalizers of claims are respected, and a reference without its flag is mended",
    async run(world) {
      const live = await runningSet(world, { policy: both, replicas: 3 });
      const data = await dataOf(world, [0, 1, 2]);
      for (const ordinal of [0, 1, 2]) await belongsTo(world, ordinal, ["StatefulSet web"]);
      const owner = await ownerOf(world, "somebody");
      await patchClaim(world, 0, { ownerReferences: [referenceTo(owner)] });
      await patchClaim(world, 1, { ownerReferences: [referenceTo(live)] });
      await hold(world, 2);
      await touchUntil(world, "the flag is back", async () => {
        const [reference] = (await claimOf(world, 1))?.metadata.ownerReferences ?? [];
        return reference?.uid === live.metadata.uid && reference.controller;
      });
      await belongsTo(world, 0, ["ConfigMap somebody", "StatefulSet web"]);

      await deleteSet(world);
      await dataGoes(world, [1], data.slice(1));
      await world.eventually("the claim that is held is being deleted", async () => {
        return (await claimOf(world, 2))?.metadata.deletionTimestamp;
      });
      await dataStays(world, [0], data);
      await letGo(world, 2);
      await dataGoes(world, [2], data.slice(2));
      await goesByHand(world, 0);
      await world.admin.delete(ConfigMap, world.namespace, "somebody");
      await dataGoes(world, [0], data);
    },
  },
];
