import { expect } from "vitest";
import type { World } from "../../worlds/world.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateSet,
  belongsTo,
  changePolicy,
  claimOf,
  dataOf,
  dataStays,
  deleteSet,
  goesByHand,
  holdPod,
  inForce,
  isForgotten,
  letGoOfPod,
  ownerOf,
  patchClaim,
  podIsGone,
  podOf,
  policyKey,
  progressOn,
  referenceTo,
  runningSet,
  scale,
  setOf,
} from "./helpers.ts";
import { both, onDeletion, onScaledown } from "./policies.ts";

/** A set with a claim that has a pod and one that has none; both go with the set. */
async function withReferences(world: World): Promise<void> {
  await runningSet(world, { policy: onDeletion });
  await scale(world, 1);
  await podIsGone(world, 1);
  for (const ordinal of [0, 1]) await belongsTo(world, ordinal, ["StatefulSet web"]);
}

/** Claims that are to stay from now on. */
export const keeping: readonly Scenario[] = [
  {
    title: "back to Retain, no claim belongs to the set any more, and none goes with it",
    async run(world) {
      await withReferences(world);
      const data = await dataOf(world, [0, 1]);
      await changePolicy(world, "Retain");
      for (const ordinal of [0, 1]) await belongsTo(world, ordinal, []);
      await deleteSet(world);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "back to Retain, references that others put on a claim stay",
    async run(world) {
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
    title: "without a policy any more, nothing of ours is left on the set and its claims",
    async run(world) {
      await withReferences(world);
      await annotateSet(world, { [policyKey]: null });
      for (const ordinal of [0, 1]) await belongsTo(world, ordinal, []);
      await isForgotten(world);
      for (const ordinal of [0, 1])
        await world.eventually(
          `nothing of ours is left on claim ${ordinal}`,
          async () => progressOn((await claimOf(world, ordinal)) as never, "set-owner") === undefined,
        );
    },
  },
  {
    title: "back to Retain while a replica is being scaled away saves its claim",
    async run(world) {
      await runningSet(world, { policy: onScaledown });
      const data = await dataOf(world, [0, 1]);
      await holdPod(world, 1);
      await scale(world, 1);
      await world.eventually("the pod stops", async () => (await podOf(world, 1))?.metadata.deletionTimestamp);
      await belongsTo(world, 1, ["Pod web-1"]);
      await annotateSet(world, { [policyKey]: "Retain" });
      await belongsTo(world, 1, []);
      await letGoOfPod(world, 1);
      await podIsGone(world, 1);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "the policy may turn from one to another and back, and the last one counts",
    async run(world) {
      await runningSet(world, { policy: "Retain", replicas: 3 });
      const data = await dataOf(world, [0, 1, 2]);
      for (const policy of [both, onDeletion, "Retain", onScaledown, onDeletion] as const)
        await annotateSet(world, { [policyKey]: policy });
      await inForce(world, onDeletion);
      await scale(world, 2);
      await podIsGone(world, 2);
      await dataStays(world, [0, 1, 2], data);
      await changePolicy(world, "Retain");
      await deleteSet(world);
      await dataStays(world, [0, 1, 2], data);
    },
  },
  {
    title: "a reference that somebody wrote on a claim themselves is theirs, and Retain does not take it away",
    async run(world) {
      await runningSet(world, { policy: "Retain" });
      await scale(world, 1);
      await podIsGone(world, 1);
      const theirs = referenceTo(await setOf(world));
      await patchClaim(world, 1, { ownerReferences: [theirs] });
      await annotateSet(world, { "scenario.example/touched": "keeping" });
      await world.rest();
      expect((await claimOf(world, 1))?.metadata.ownerReferences).toEqual([theirs]);
      await goesByHand(world, 1);
    },
  },
];
