import { expect } from "vitest";
import { PersistentVolumeClaim, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { ConfigMap } from "../../worlds/kinds.ts";
import { claim } from "../../worlds/manifest.ts";
import type { World } from "../../worlds/world.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateSet,
  belongsTo,
  changePolicy,
  claimName,
  claimOf,
  createSet,
  dataGoes,
  dataOf,
  dataStays,
  deleteSet,
  fieldBecomes,
  goesByHand,
  hasEvent,
  hold,
  inForce,
  letGo,
  ownerOf,
  patchClaim,
  podIsGone,
  podsRun,
  policyKey,
  provideClaim,
  referenceTo,
  runningSet,
  scale,
  set,
  setOf,
  touch,
} from "./helpers.ts";
import { both, onDeletion } from "./policies.ts";

/**
 * A set of which one replica was scaled away and left its claim, so that Kubernetes' own controller looks at it no
 * more.
 */
async function withLeftClaim(world: World): Promise<void> {
  await runningSet(world, { policy: "Retain" });
  await scale(world, 1);
  await podIsGone(world, 1);
}

/** To whom claims belong, and what is in the way. */
export const owning: readonly Scenario[] = [
  {
    title: "a claim without a pod is given to the set, which it does not hold up",
    async run(world) {
      await withLeftClaim(world);
      await changePolicy(world, onDeletion);
      await belongsTo(world, 1, ["StatefulSet web"]);
      const [reference] = (await claimOf(world, 1))?.metadata.ownerReferences ?? [];
      const { uid } = (await setOf(world)).metadata;
      expect(reference).toMatchObject({ uid, controller: true, blockOwnerDeletion: false });
    },
  },
  {
    title: "a claim that somebody else controls gets no reference of ours, says so, and stays when the set goes",
    async run(world) {
      await withLeftClaim(world);
      const data = await dataOf(world, [1]);
      const owner = await ownerOf(world, "somebody");
      await patchClaim(world, 1, { ownerReferences: [referenceTo(owner, { controller: true })] });
      await changePolicy(world, onDeletion);
      const { note } = await hasEvent(world, "PersistentVolumeClaim", claimName(1), "ClaimNotIncluded");
      expect(note).toContain("ConfigMap somebody owns it");
      const another = await ownerOf(world, "another");
      await patchClaim(world, 1, { ownerReferences: [referenceTo(another, { controller: true })] });
      await changePolicy(world, "Retain");
      await changePolicy(world, onDeletion);
      await world.eventually("it is said who owns it now", async () => {
        const { note } = await hasEvent(world, "PersistentVolumeClaim", claimName(1), "ClaimNotIncluded");
        return note.includes("ConfigMap another owns it");
      });
      await deleteSet(world);
      await dataStays(world, [1], data);
      await belongsTo(world, 1, ["ConfigMap another"]);
    },
  },
  {
    title: "a reference that is written when the policy has turned to keeping already is taken off again",
    within: true,
    async run(world) {
      await withLeftClaim(world);
      const data = await dataOf(world, [0, 1]);
      const late = Promise.withResolvers<void>();
      let status: number | undefined;
      world.intercept(async ({ rule, request }, send) => {
        const ties = rule === "pvc-retention/set-owner" && request.body?.includes("/metadata/ownerReferences");
        if (!ties || status !== undefined) return send();
        status = 0;
        await late.promise;
        const answer = await send();
        ({ status } = answer);
        return answer;
      });
      await annotateSet(world, { [policyKey]: onDeletion });
      await world.eventually("own is about to write", () => status === 0);
      await annotateSet(world, { [policyKey]: "Retain" });
      await fieldBecomes(world, "Retain/Retain");
      late.resolve();
      await world.eventually("own has written", () => status === 200);
      await belongsTo(world, 1, []);
      await deleteSet(world);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "a claim that refers to an earlier set of the name is not touched",
    async run(world) {
      await withLeftClaim(world);
      const stale = { ...referenceTo(await setOf(world)), uid: "00000000-0000-0000-0000-000000000001" };
      // The garbage collector deletes it for the sake of an owner that is gone; a finalizer keeps it long enough to
      // look.
      await hold(world, 1);
      await goesByHand(world, 1);
      await patchClaim(world, 1, { ownerReferences: [stale] });
      await changePolicy(world, onDeletion);
      await touch(world);
      await world.rest();
      expect((await claimOf(world, 1))?.metadata.ownerReferences).toEqual([stale]);
      await letGo(world, 1);
    },
  },
  {
    title: "owners that control nothing are kept, and keep the claim until they are gone",
    async run(world) {
      await withLeftClaim(world);
      const data = await dataOf(world, [1]);
      const owner = await ownerOf(world, "somebody");
      await patchClaim(world, 1, { ownerReferences: [referenceTo(owner)] });
      await changePolicy(world, onDeletion);
      await belongsTo(world, 1, ["ConfigMap somebody", "StatefulSet web"]);
      await deleteSet(world);
      await dataStays(world, [1], data);
      await goesByHand(world, 1);
      await world.admin.delete(ConfigMap, world.namespace, "somebody");
      await dataGoes(world, [1], data);
    },
  },
  {
    title: "claims that were made by hand before the set go as its own do",
    async run(world) {
      for (const ordinal of [0, 1]) await provideClaim(world, ordinal);
      const data = await dataOf(world, [0, 1]);
      await runningSet(world, { policy: both });
      expect(await dataOf(world, [0, 1])).toEqual(data);
      await scale(world, 1);
      await dataGoes(world, [1], data.slice(1));
      await deleteSet(world);
      await dataGoes(world, [0], data);
    },
  },
  {
    title: "claims that are not of the set's templates stay, although its pods use them or they look alike",
    async run(world) {
      const { admin, namespace } = world;
      const spec = { storageClassName: "standard" };
      for (const name of ["shared", "data-web-01", "data-web-x", "data-web", "logs-web-0"])
        await admin.create(PersistentVolumeClaim, claim({ namespace, name }, spec));
      await createSet(world, { policy: both });
      const volumes = [{ name: "shared", persistentVolumeClaim: { claimName: "shared" } }];
      await admin.patch(StatefulSet, namespace, set, "merge", { spec: { template: { spec: { volumes } } } });
      await podsRun(world, 2);
      await inForce(world, both);
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await dataGoes(world, [1], data.slice(1));
      await deleteSet(world);
      await dataGoes(world, [0], data);
      await world.rest();
      const left = await Array.fromAsync(admin.list(PersistentVolumeClaim, { namespace }));
      expect(left.map(({ metadata }) => metadata.name)).toEqual([
        "data-web",
        "data-web-01",
        "data-web-x",
        "logs-web-0",
        "shared",
      ]);
      for (const { metadata } of left) expect(metadata).not.toHaveProperty("deletionTimestamp");
    },
  },
];
