import { expect } from "vitest";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { World } from "../../worlds/world.ts";
import type { Story } from "../story.ts";
import { both, onDeletion, onScaledown } from "./policies.ts";
import { core, guarded, off, projected, scaled, whole, withField } from "./settings.ts";
import {
  annotateNamespace,
  annotateSet,
  changePolicy,
  dataGoes,
  dataOf,
  dataStays,
  deleteSet,
  finalizer,
  inForce,
  isTakenBack,
  isTold,
  noticesOn,
  podIsGone,
  policyKey,
  progressOn,
  runningSet,
  scale,
  set,
  setOf,
  touch,
} from "./words.ts";

const ours = "holdfast-pvc-retention";

async function fieldOf(world: World): Promise<string> {
  const { whenDeleted, whenScaled } = (await setOf(world)).spec.persistentVolumeClaimRetentionPolicy ?? {};
  return `${whenDeleted}/${whenScaled}`;
}

interface ManagedFields {
  manager: string;
  fieldsV1: { "f:spec"?: { "f:persistentVolumeClaimRetentionPolicy"?: object } };
}

/** Who holds a value of the field, by the names of the managers. */
async function holdersOf(world: World): Promise<string[]> {
  const entries = ((await setOf(world)).metadata.managedFields ?? []) as ManagedFields[];
  return entries
    .filter(({ fieldsV1 }) => {
      const held = fieldsV1["f:spec"]?.["f:persistentVolumeClaimRetentionPolicy"] ?? {};
      return "f:whenDeleted" in held || "f:whenScaled" in held;
    })
    .map(({ manager }) => manager)
    .sort();
}

/** Somebody else, by the name of a field manager, chooses a value. */
async function choose(world: World, manager: string, whenDeleted: string, whenScaled: string): Promise<void> {
  const { admin, namespace } = world;
  const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } };
  await admin.patch(StatefulSet, namespace, set, "merge", { spec }, { fieldManager: manager });
}

function fieldBecomes(world: World, value: string): Promise<unknown> {
  return world.eventually(`the field is ${value}`, async () => (await fieldOf(world)) === value);
}

/** What the policy makes of the set's own field. */
export const projecting: readonly Story[] = [
  {
    title: "the default that the server filled in is taken over from whoever created the set",
    settings: projected,
    async tell(world) {
      await runningSet(world);
      expect(await fieldOf(world)).toBe("Retain/Retain");
      await changePolicy(world, both);
      expect(await fieldOf(world)).toBe("Delete/Delete");
      expect(await holdersOf(world)).toEqual([ours]);
      await changePolicy(world, onScaledown);
      expect(await fieldOf(world)).toBe("Retain/Delete");
    },
  },
  {
    title: "with PROJECT=scaled only what is to happen at a scale-down is written onto the field",
    settings: [scaled],
    async tell(world) {
      await runningSet(world, { policy: both });
      expect(await fieldOf(world)).toBe("Retain/Delete");
      await changePolicy(world, onDeletion);
      expect(await fieldOf(world)).toBe("Retain/Retain");
    },
  },
  {
    title: "with PROJECT=off nothing is written onto the field",
    settings: [off],
    async tell(world) {
      await runningSet(world, { policy: both });
      expect(await fieldOf(world)).toBe("Retain/Retain");
      expect(await holdersOf(world)).not.toContain(ours);
    },
  },
  {
    title: "a value that somebody chose is left alone, and told with who holds it",
    settings: [whole, scaled, guarded],
    async tell(world) {
      await runningSet(world);
      await choose(world, "helm", "Delete", "Delete");
      await annotateSet(world, { [policyKey]: onScaledown });
      const held = await isTold(world, "StatefulSet", set, "RetentionPolicyHeld");
      expect(held).toMatchObject({ type: "Warning" });
      expect(held.note).toContain("held by helm");
      await world.eventually("that is written down", async () => {
        return progressOn(await setOf(world), "project")?.step === "held";
      });
      await world.rest();
      expect(await fieldOf(world)).toBe("Delete/Delete");

      // Whoever holds it lets go, and the Warning is taken back.
      await choose(world, "helm", "Retain", "Retain");
      await fieldBecomes(world, "Retain/Delete");
      await inForce(world, onScaledown);
      await isTakenBack(world, "StatefulSet", set, "RetentionPolicyHeld");
    },
  },
  {
    title: "a value that somebody puts back again and again is left to them after three times, and told",
    settings: projected,
    async tell(world) {
      await runningSet(world, { policy: onDeletion });
      for (let round = 0; round < 3; round++) {
        await fieldBecomes(world, "Delete/Retain");
        await choose(world, "argocd", "Retain", "Retain");
      }
      const fought = await isTold(world, "StatefulSet", set, "RetentionPolicyTakenBack");
      expect(fought).toMatchObject({ type: "Warning" });
      await world.rest();
      expect(await fieldOf(world)).toBe("Retain/Retain");

      await annotateSet(world, { "holdfast.dev/pvc-retention.project": null });
      await fieldBecomes(world, "Delete/Retain");
    },
  },
  {
    title: "taking the policy away gives the field back, and nothing of ours is left",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: both });
      const data = await dataOf(world, [0, 1]);
      await annotateSet(world, { [policyKey]: null });
      await world.eventually("nothing of ours is left", async () => {
        const { metadata } = await setOf(world);
        const annotations = Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith("holdfast.dev/"));
        return annotations.length === 0 && !metadata.finalizers?.includes(finalizer);
      });
      if (!world.setting.withoutClaimRetention) expect(await fieldOf(world)).toBe("Retain/Retain");
      expect(await holdersOf(world)).not.toContain(ours);
      await scale(world, 1);
      await podIsGone(world, 1);
      await dataStays(world, [0, 1], data);
      await deleteSet(world);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "a namespace's policy is the default of its sets, those that are there and those that come",
    settings: core,
    async tell(world) {
      await runningSet(world);
      const data = await dataOf(world, [0, 1]);
      await annotateNamespace(world, { [policyKey]: onScaledown });
      await inForce(world, onScaledown);
      await scale(world, 1);
      await dataGoes(world, [1], data.slice(1));

      await runningSet(world, { name: "later", replicas: 1 });
      await inForce(world, onScaledown, "later");
      await runningSet(world, { name: "own", replicas: 1, policy: "Retain" });
      const kept = await dataOf(world, [0], "own");
      await scale(world, 0, "own");
      await podIsGone(world, 0, "own");
      await dataStays(world, [0], kept, "own");
    },
  },
  {
    title: "a namespace whose policy is taken away keeps the claims of its sets",
    settings: core,
    async tell(world) {
      await annotateNamespace(world, { [policyKey]: both });
      await runningSet(world);
      await inForce(world, both);
      const data = await dataOf(world, [0, 1]);
      await annotateNamespace(world, { [policyKey]: null });
      await world.eventually("nothing of ours is left", async () => {
        const { metadata } = await setOf(world);
        const annotations = Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith("holdfast.dev/"));
        return annotations.length === 0 && !metadata.finalizers?.includes(finalizer);
      });
      await deleteSet(world);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "a policy that nobody knows keeps everything, and is told until it is mended",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: "DeleteEverything" });
      const unknown = await isTold(world, "StatefulSet", set, "PolicyUnreadable");
      expect(unknown).toMatchObject({ type: "Warning" });
      expect(unknown.note).toContain('"DeleteEverything"');
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await podIsGone(world, 1);
      await dataStays(world, [0, 1], data);

      await changePolicy(world, onScaledown);
      await dataGoes(world, [1], data.slice(1));
      await isTakenBack(world, "StatefulSet", set, "PolicyUnreadable");
    },
  },
  {
    title: "a policy that nobody knows takes the place of one that deleted, and keeps everything",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: both });
      const data = await dataOf(world, [0, 1]);
      await annotateSet(world, { [policyKey]: "delete" });
      await isTold(world, "StatefulSet", set, "PolicyUnreadable");
      await world.eventually("the set is let go", async () => {
        return !(await setOf(world)).metadata.finalizers?.includes(finalizer);
      });
      await deleteSet(world);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "a set without a policy is not touched, not even where its own field deletes",
    settings: withField,
    async tell(world) {
      await runningSet(world);
      await choose(world, "kubectl", "Delete", "Retain");
      const written = (await setOf(world)).metadata;
      await touch(world);
      await world.rest();
      const { metadata } = await setOf(world);
      expect(Object.keys(metadata.annotations ?? {})).toEqual(["story.example/touched"]);
      expect(metadata.finalizers).toEqual(written.finalizers);
      expect(await fieldOf(world)).toBe("Delete/Retain");
      expect(await holdersOf(world)).not.toContain(ours);
      expect(await noticesOn(world, "StatefulSet", set)).toEqual([]);
    },
  },
];
