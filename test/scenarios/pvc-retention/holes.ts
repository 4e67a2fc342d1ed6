import { expect } from "vitest";
import type { World } from "../../worlds/world.ts";
import type { Story } from "../story.ts";
import { both, onDeletion, onScaledown } from "./policies.ts";
import { core, withField } from "./settings.ts";
import {
  belongsTo,
  changePolicy,
  claimName,
  createSet,
  dataGoes,
  dataOf,
  dataStays,
  deletePod,
  deleteSet,
  isTold,
  patchClaim,
  podIsGone,
  podsRun,
  runningSet,
  scale,
  setOf,
} from "./words.ts";

/** Two sets whose names and templates yield the same claims: template `data-b` of `c`, and template `data` of `b-c`. */
async function rivals(world: World, first: string | undefined, second: string | undefined): Promise<void> {
  const named = (policy: string | undefined) => (policy === undefined ? {} : { policy });
  await createSet(world, { name: "c", templates: ["data-b"], replicas: 1, ...named(first) });
  await podsRun(world, 1, "c");
  await createSet(world, { name: "b-c", replicas: 1, ...named(second) });
  await podsRun(world, 1, "b-c");
}

/** What Kubernetes' own controller leaves open, and users run into. */
export const holes: readonly Story[] = [
  {
    title: "claims of replicas that were scaled away under Retain go with the set, if the policy turns before",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: "Retain", replicas: 3 });
      const data = await dataOf(world, [0, 1, 2]);
      await scale(world, 1);
      await podIsGone(world, 2);
      await dataStays(world, [0, 1, 2], data);
      await changePolicy(world, onDeletion);
      await deleteSet(world);
      await dataGoes(world, [0, 1, 2], data);
    },
  },
  {
    title: "claims of replicas that were scaled away under Retain are deleted when the policy turns to delete them",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: "Retain", replicas: 3 });
      const data = await dataOf(world, [0, 1, 2]);
      await scale(world, 1);
      for (const ordinal of [1, 2]) await podIsGone(world, ordinal);
      await changePolicy(world, onScaledown);
      await dataGoes(world, [1, 2], data.slice(1));
      await dataStays(world, [0], data);
    },
  },
  {
    title: "a claim whose labels somebody has taken off is kept like all others when the policy turns to Retain",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onDeletion, labelled: true });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await podIsGone(world, 1);
      await patchClaim(world, 1, { labels: { app: null } });
      await changePolicy(world, "Retain");
      await belongsTo(world, 1, []);
      await deleteSet(world);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "a claim whose labels somebody has taken off does not go with its replica, and says so",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: "Retain", labelled: true });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await podIsGone(world, 1);
      await patchClaim(world, 1, { labels: { app: null } });
      await changePolicy(world, onScaledown);
      const told = await isTold(world, "PersistentVolumeClaim", claimName(1), "CondemnedClaimKept");
      expect(told.note).toContain("its labels are not those of the set's claims");
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "a set whose policy deletes does not take the claim that another set's name yields, too, and says so",
    settings: core,
    async tell(world) {
      await rivals(world, undefined, both);
      const contested = await isTold(world, "StatefulSet", "b-c", "ClaimNamesContested");
      expect(contested).toMatchObject({ type: "Warning" });
      expect(contested.note).toContain("StatefulSets b-c and c both make claims of the same names");
      const data = await dataOf(world, [0], "b-c");
      expect(claimName(0, "b-c")).toBe(claimName(0, "c", "data-b"));
      await scale(world, 0, "b-c");
      await podIsGone(world, 0, "b-c");
      await dataStays(world, [0], data, "b-c");
      await deleteSet(world, "Background", "b-c");
      await dataStays(world, [0], data, "b-c");
      await deletePod(world, 0, "c");
      await podsRun(world, 1, "c");
    },
  },
  {
    title: "of two sets that yield the same claim and both delete theirs, only the one that is left takes it along",
    settings: core,
    async tell(world) {
      await rivals(world, both, both);
      for (const name of ["c", "b-c"]) await isTold(world, "StatefulSet", name, "ClaimNamesContested");
      const data = await dataOf(world, [0], "b-c");
      await deleteSet(world, "Background", "c");
      await podIsGone(world, 0, "c");
      await dataStays(world, [0], data, "b-c");
      await deleteSet(world, "Background", "b-c");
      await dataGoes(world, [0], data, "b-c");
    },
  },
  {
    title: "what a set's field deleted before another set came that yields its claims is given up",
    settings: withField,
    async tell(world) {
      await runningSet(world, { name: "c", templates: ["data-b"], replicas: 1, policy: both });
      await createSet(world, { name: "b-c", replicas: 1 });
      await isTold(world, "StatefulSet", "c", "ClaimNamesContested");
      const { spec } = await setOf(world, "c");
      expect(spec.persistentVolumeClaimRetentionPolicy).toEqual({ whenDeleted: "Retain", whenScaled: "Retain" });
    },
  },
  {
    title: "a claim without a pod belongs to the set without holding up its deletion",
    settings: [...core].filter(({ environment }) => Object.keys(environment).length === 0),
    async tell(world) {
      await runningSet(world, { policy: "Retain", replicas: 2 });
      await scale(world, 1);
      await podIsGone(world, 1);
      await changePolicy(world, onDeletion);
      await belongsTo(world, 1, ["StatefulSet web"]);
    },
  },
];
