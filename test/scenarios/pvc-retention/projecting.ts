import { expect } from "vitest";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { manifest } from "../../worlds/manifest.ts";
import type { World } from "../../worlds/world.ts";
import { noticesOn } from "../recorded-events.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateNamespace,
  annotateSet,
  belongsTo,
  changePolicy,
  dataGoes,
  dataOf,
  dataStays,
  deleteSet,
  eventIsCleared,
  fieldBecomes,
  fieldOf,
  hasEvent,
  inForce,
  isForgotten,
  podIsGone,
  policyKey,
  progressOn,
  runningSet,
  scale,
  set,
  setOf,
  touch,
} from "./helpers.ts";
import { both, onDeletion, onScaledown } from "./policies.ts";
import { admitted } from "./settings.ts";

const ours = "holdfast-pvc-retention";

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

/** Somebody else, by the name of a field manager, writes a value: as an update, or by server-side apply. */
async function choose(
  world: World,
  fieldManager: string,
  whenDeleted: string,
  whenScaled: string,
  by: "merge" | "apply" = "merge",
): Promise<void> {
  const { admin, namespace } = world;
  const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } };
  const patch = by === "merge" ? { spec } : manifest(StatefulSet, { namespace, name: set }, { spec });
  const options = by === "merge" ? { fieldManager } : { fieldManager, force: true };
  await admin.patch(StatefulSet, namespace, set, by, patch, options);
}

const isHeldNow = (world: World) =>
  world.eventually("that is written down", async () => progressOn(await setOf(world), "sync-policy")?.step === "held");

/** What the policy makes of the set's own field. */
export const projecting: readonly Scenario[] = [
  {
    title: "the default that the server filled in is taken over from whoever created the set",
    async run(world) {
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
    title: "a Retain that somebody applies stays under a namespace's policy that deletes, and an Event says who it is",
    async run(world) {
      await runningSet(world);
      await choose(world, "flux", "Retain", "Retain", "apply");
      const data = await dataOf(world, [0, 1]);
      await annotateNamespace(world, { [policyKey]: both });
      const held = await hasEvent(world, "StatefulSet", set, "RetentionPolicyHeld");
      expect(held).toMatchObject({ type: "Warning" });
      expect(held.note).toContain("flux keeps claims by it");
      await isHeldNow(world);
      expect(await fieldOf(world)).toBe("Retain/Retain");
      await scale(world, 1);
      await podIsGone(world, 1);
      await dataStays(world, [0, 1], data);

      // Whoever holds it lets go, and the Warning is cleared.
      const { admin, namespace } = world;
      const nothing = manifest(StatefulSet, { namespace, name: set });
      await admin.patch(StatefulSet, namespace, set, "apply", nothing, { fieldManager: "flux" });
      await inForce(world, both);
      await eventIsCleared(world, "StatefulSet", set, "RetentionPolicyHeld");
      expect(await fieldOf(world)).toBe("Delete/Delete");
    },
  },
  {
    title: "half of the field that somebody applies is theirs, and the other half follows the policy",
    async run(world) {
      await runningSet(world);
      const { admin, namespace } = world;
      const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain" } };
      const patch = manifest(StatefulSet, { namespace, name: set }, { spec });
      await admin.patch(StatefulSet, namespace, set, "apply", patch, { fieldManager: "flux", force: true });
      await annotateSet(world, { [policyKey]: both });
      await fieldBecomes(world, "Retain/Delete");
      await isHeldNow(world);
      expect(await holdersOf(world)).toContain("flux");
    },
  },
  {
    title: "a Delete that somebody chose gives way to a policy that keeps, and an Event says so",
    async run(world) {
      await runningSet(world);
      await choose(world, "helm", "Delete", "Delete");
      await annotateSet(world, { [policyKey]: onScaledown });
      await fieldBecomes(world, "Retain/Delete");
      if (world.setting === admitted) return;
      const held = await hasEvent(world, "StatefulSet", set, "RetentionPolicyHeld");
      expect(held.note).toContain("keeps claims that helm had it delete");
      await world.rest();
      await hasEvent(world, "StatefulSet", set, "RetentionPolicyHeld");
    },
  },
  {
    title: "a Delete that somebody chose, and the policy asks for as well, stays theirs",
    async run(world) {
      await runningSet(world);
      await choose(world, "helm", "Delete", "Delete");
      await annotateSet(world, { [policyKey]: both });
      await inForce(world, both);
      expect(await holdersOf(world)).toEqual(["helm"]);
    },
  },
  {
    title: "a value that somebody puts back again and again is left to them after three times, and an Event says so",
    async run(world) {
      await runningSet(world, { policy: onDeletion });
      for (let round = 0; round < 3; round++) {
        await fieldBecomes(world, "Delete/Retain");
        await choose(world, "argocd", "Retain", "Retain");
      }
      const fought = await hasEvent(world, "StatefulSet", set, "RetentionPolicyTakenBack");
      expect(fought).toMatchObject({ type: "Warning" });
      expect(fought.note).toContain("it stays {whenDeleted: Retain, whenScaled: Retain}, and that is in force");
      await world.rest();
      expect(await fieldOf(world)).toBe("Retain/Retain");

      await annotateSet(world, { "holdfast.dev/pvc-retention.sync-policy": null });
      await fieldBecomes(world, "Delete/Retain");
    },
  },
  {
    title: "taking the policy away gives the field back, and nothing of ours is left",
    async run(world) {
      await runningSet(world, { policy: both });
      const data = await dataOf(world, [0, 1]);
      await annotateSet(world, { [policyKey]: null });
      await isForgotten(world);
      expect(await fieldOf(world)).toBe("Retain/Retain");
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
    async run(world) {
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
    async run(world) {
      await annotateNamespace(world, { [policyKey]: both });
      await runningSet(world);
      await inForce(world, both);
      const data = await dataOf(world, [0, 1]);
      await annotateNamespace(world, { [policyKey]: null });
      await isForgotten(world);
      await deleteSet(world);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "a policy that nobody knows keeps everything, and an Event says so until it is mended",
    async run(world) {
      await runningSet(world, { policy: "DeleteEverything" });
      const unknown = await hasEvent(world, "StatefulSet", set, "PolicyUnreadable");
      expect(unknown).toMatchObject({ type: "Warning" });
      expect(unknown.note).toContain('"DeleteEverything"');
      await annotateSet(world, { [policyKey]: "DeleteSomething" });
      await world.eventually("an Event says what nobody knows now", async () => {
        const { note } = await hasEvent(world, "StatefulSet", set, "PolicyUnreadable");
        return note.includes('"DeleteSomething"');
      });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await podIsGone(world, 1);
      await dataStays(world, [0, 1], data);

      await changePolicy(world, onScaledown);
      await eventIsCleared(world, "StatefulSet", set, "PolicyUnreadable");
      await dataStays(world, [1], data.slice(1));
      await scale(world, 0);
      await dataGoes(world, [0], data);
    },
  },
  {
    title: "a policy that nobody knows takes the place of one that deleted, and keeps everything",
    async run(world) {
      await runningSet(world, { policy: both });
      const data = await dataOf(world, [0, 1]);
      await annotateSet(world, { [policyKey]: "delete" });
      await hasEvent(world, "StatefulSet", set, "PolicyUnreadable");
      await fieldBecomes(world, "Retain/Retain");
      await belongsTo(world, 0, []);
      await belongsTo(world, 1, []);
      await deleteSet(world);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "a set without a policy is not touched, not even where its own field deletes",
    async run(world) {
      await runningSet(world);
      await choose(world, "kubectl", "Delete", "Retain");
      await touch(world);
      await world.rest();
      const { metadata } = await setOf(world);
      expect(Object.keys(metadata.annotations ?? {})).toEqual(["scenario.example/touched"]);
      expect(await fieldOf(world)).toBe("Delete/Retain");
      expect(await holdersOf(world)).not.toContain(ours);
      expect(await noticesOn(world, "StatefulSet", set)).toEqual([]);
    },
  },
];
