import { expect } from "vitest";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { World } from "../../worlds/world.ts";
import type { Story } from "../story.ts";
import { both, onDeletion, policies, policyNames } from "./policies.ts";
import { core, whereReferred, withField } from "./settings.ts";
import {
  annotateSet,
  askToDelete,
  belongsTo,
  createSet,
  dataGoes,
  dataOf,
  dataStays,
  deleteSet,
  emptyList,
  goesByHand,
  isTold,
  podIsGone,
  podsRun,
  policyKey,
  progressOn,
  runningSet,
  scale,
  set,
  setIsGone,
  setOf,
} from "./words.ts";

const bequeath = "pvc-retention/bequeath";

/** Lets no proof of a cascading deletion reach the function. */
function hideProof(world: World): void {
  world.intercept(({ rule, request: { method, path } }, send) =>
    rule === bequeath && method === "GET" && /\/(pods|controllerrevisions)\?/.test(path) ? emptyList() : send(),
  );
}

/** Claims of sets that are deleted. */
export const bequeathing: readonly Story[] = [
  {
    title:
      "a set whose policy turns to Retain is held until nothing ties its claims to it, and keeps them when it is deleted before",
    within: true,
    settings: whereReferred,
    async tell(world) {
      await runningSet(world, { policy: onDeletion });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await podIsGone(world, 1);
      await belongsTo(world, 1, ["StatefulSet web"]);
      // Nobody takes the references off.
      world.intercept(({ rule }, send) =>
        rule === "pvc-retention/forgive" ? Promise.reject(new Error("It is not installed.")) : send(),
      );
      await annotateSet(world, { [policyKey]: "Retain" });
      await world.eventually("it is said what the set is held for", async () => {
        return progressOn(await setOf(world), "bequeath")?.step === "keeping";
      });
      await deleteSet(world);
      await dataStays(world, [0, 1], data);
    },
  },
  ...policyNames.map(
    (policy): Story => ({
      title: `${policy}: claims ${policies[policy].deleted} when the set is deleted in the foreground`,
      settings: core,
      async tell(world) {
        // When the pods are gone before the function looks, nothing shows any more how the deletion was asked for.
        await runningSet(world, { policy, stopAfter: 4000 });
        const data = await dataOf(world, [0, 1]);
        await deleteSet(world, "Foreground");
        for (const ordinal of [0, 1]) await podIsGone(world, ordinal);
        if (policies[policy].deleted === "go") await dataGoes(world, [0, 1], data);
        else await dataStays(world, [0, 1], data);
      },
    }),
  ),
  {
    title: "a policy that is set to Retain holds for a deletion right behind it",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: both });
      const data = await dataOf(world, [0, 1]);
      await annotateSet(world, { [policyKey]: "Retain" });
      await deleteSet(world);
      await dataStays(world, [0, 1], data);
      for (const ordinal of [0, 1]) await belongsTo(world, ordinal, []);
    },
  },
  {
    title: "a policy that is set to Retain while the set waits to go keeps its claims",
    within: true,
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onDeletion });
      const data = await dataOf(world, [0, 1]);
      let isFirst = true;
      world.intercept(async ({ rule, request }, send) => {
        const letsGo =
          rule === bequeath && request.method === "PATCH" && /"op":"remove".*finalizers/.test(request.body ?? "");
        if (letsGo && isFirst) {
          isFirst = false;
          await annotateSet(world, { [policyKey]: "Retain" });
        }
        return send();
      });
      await deleteSet(world);
      expect(isFirst).toBe(false);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "where nothing proves that the deletion cascades, claims are kept, and that is told",
    within: true,
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onDeletion });
      const data = await dataOf(world, [0, 1]);
      hideProof(world);
      await deleteSet(world);
      const told = await isTold(world, "StatefulSet", set, "ClaimsKept");
      expect(told).toMatchObject({ type: "Warning" });
      for (const ordinal of [0, 1]) await podIsGone(world, ordinal);
      await dataStays(world, [0, 1], data);
      for (const ordinal of [0, 1]) await belongsTo(world, ordinal, []);
    },
  },
  {
    title: "a set that is deleted while a replica is being scaled away takes all of its claims along",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: both, replicas: 3, stopAfter: 1500 });
      const data = await dataOf(world, [0, 1, 2]);
      await scale(world, 1);
      await deleteSet(world);
      await dataGoes(world, [0, 1, 2], data);
    },
  },
  {
    title: "pods that take their time to stop keep the claims, which go after them",
    settings: core,
    async tell(world) {
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
    settings: core,
    async tell(world) {
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
    settings: core,
    async tell(world) {
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
    settings: withField,
    async tell(world) {
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
