import { expect } from "vitest";
import type { World } from "../../worlds/world.ts";
import type { Story } from "../story.ts";
import { both, onDeletion, onScaledown } from "./policies.ts";
import { atOnce, core, projected, whereReferred } from "./settings.ts";
import {
  annotateSet,
  belongsTo,
  changePolicy,
  claimOf,
  dataGoes,
  dataOf,
  dataStays,
  deleteSet,
  goesByHand,
  inForce,
  isHeld,
  ownerOf,
  patchClaim,
  podIsGone,
  podOf,
  policyKey,
  provideClaim,
  referenceTo,
  runningSet,
  scale,
  setOf,
} from "./words.ts";

/** A set with a claim that has a pod and one that has none; both go with the set. */
async function withReferences(world: World): Promise<void> {
  await runningSet(world, { policy: onDeletion });
  await scale(world, 1);
  await podIsGone(world, 1);
  for (const ordinal of [0, 1]) await belongsTo(world, ordinal, ["StatefulSet web"]);
}

/** What the rules left, once claims are to stay. */
export const forgiving: readonly Story[] = [
  {
    title: "back to Retain, no claim belongs to the set any more, and none goes with it",
    settings: whereReferred,
    async tell(world) {
      await withReferences(world);
      const data = await dataOf(world, [0, 1]);
      await changePolicy(world, "Retain");
      for (const ordinal of [0, 1]) await belongsTo(world, ordinal, []);
      await world.eventually("the set is let go", async () => !isHeld(await setOf(world)));
      await deleteSet(world);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "back to Retain, references that others put on a claim stay",
    settings: whereReferred,
    async tell(world) {
      await runningSet(world, { policy: "Retain" });
      await scale(world, 1);
      await podIsGone(world, 1);
      await patchClaim(world, 1, { ownerReferences: [referenceTo(await ownerOf(world, "somebody"))] });
      await changePolicy(world, onDeletion);
      await belongsTo(world, 1, ["ConfigMap somebody", "StatefulSet web"]);
      await changePolicy(world, "Retain");
      await belongsTo(world, 1, ["ConfigMap somebody"]);
    },
  },
  {
    title: "without a policy any more, nothing of ours is left on the claims",
    settings: whereReferred,
    async tell(world) {
      await withReferences(world);
      await annotateSet(world, { [policyKey]: null });
      for (const ordinal of [0, 1]) await belongsTo(world, ordinal, []);
      await world.eventually("no claim carries anything of ours", async () => {
        const claims = await Promise.all([0, 1].map((ordinal) => claimOf(world, ordinal)));
        const left = claims.flatMap((claim) => Object.keys(claim?.metadata.annotations ?? {}));
        return !left.some((key) => key.startsWith("holdfast.dev/pvc-retention"));
      });
    },
  },
  {
    title: "without a policy any more, a set whose field its owner has chosen is as it was before, and at rest",
    settings: projected,
    async tell(world) {
      const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Delete", whenScaled: "Retain" };
      await runningSet(world, { policy: onDeletion, spec: { persistentVolumeClaimRetentionPolicy } });
      const data = await dataOf(world, [0, 1]);
      await annotateSet(world, { [policyKey]: null });
      await world.eventually("the set is let go and forgotten", async () => {
        const live = await setOf(world);
        const left = Object.keys(live.metadata.annotations ?? {}).some((key) => key.startsWith("holdfast.dev/"));
        return !isHeld(live) && !left;
      });
      await dataStays(world, [0, 1], data);
      const { metadata } = await setOf(world);
      await world.rest();
      expect((await setOf(world)).metadata.resourceVersion).toBe(metadata.resourceVersion);
      for (const ordinal of [0, 1]) {
        await belongsTo(world, ordinal, ["StatefulSet web"]);
        await goesByHand(world, ordinal);
      }
      await deleteSet(world);
      await dataGoes(world, [0, 1], data);
    },
  },
  {
    title: "without a policy any more, a reference that somebody wrote on a claim themselves does not hold the set",
    settings: whereReferred,
    async tell(world) {
      const live = await runningSet(world, { policy: onDeletion });
      await provideClaim(world, 7, { ownerReferences: [referenceTo(live)] });
      await annotateSet(world, { [policyKey]: null });
      await world.eventually("the set is let go", async () => !isHeld(await setOf(world)));
      await goesByHand(world, 7);
    },
  },
  {
    title: "back to Retain while a replica is being scaled away saves its claim",
    settings: atOnce,
    async tell(world) {
      await runningSet(world, { policy: onScaledown, stopAfter: 6000 });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await world.eventually("the pod stops", async () => (await podOf(world, 1))?.metadata.deletionTimestamp);
      await annotateSet(world, { [policyKey]: "Retain" });
      await belongsTo(world, 1, []);
      await podIsGone(world, 1);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "the policy may turn from one to another and back, and the last one counts",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: "Retain", replicas: 3 });
      const data = await dataOf(world, [0, 1, 2]);
      for (const policy of [both, onDeletion, "Retain", onScaledown, onDeletion] as const)
        await annotateSet(world, { [policyKey]: policy });
      await inForce(world, onDeletion);
      await scale(world, 2);
      await podIsGone(world, 2);
      await dataStays(world, [0, 1, 2], data);
      await annotateSet(world, { [policyKey]: "Retain" });
      await inForce(world, "Retain");
      await deleteSet(world);
      await dataStays(world, [0, 1, 2], data);
    },
  },
  {
    title: "a reference that somebody wrote on a claim themselves is theirs, and Retain does not take it away",
    settings: [...whereReferred].filter(({ withoutClaimRetention }) => !withoutClaimRetention),
    async tell(world) {
      await runningSet(world, { policy: "Retain" });
      await scale(world, 1);
      await podIsGone(world, 1);
      const theirs = referenceTo(await setOf(world));
      await patchClaim(world, 1, { ownerReferences: [theirs] });
      await annotateSet(world, { "story.example/touched": "forgive" });
      await world.rest();
      expect((await claimOf(world, 1))?.metadata.ownerReferences).toEqual([theirs]);
      await goesByHand(world, 1);
    },
  },
];
