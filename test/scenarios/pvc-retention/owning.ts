import { expect } from "vitest";
import { PersistentVolumeClaim, pathOf, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { ConfigMap } from "../../worlds/kinds.ts";
import { claim } from "../../worlds/manifest.ts";
import type { World } from "../../worlds/world.ts";
import type { Story } from "../story.ts";
import { both, onDeletion } from "./policies.ts";
import { before, core, whereReferred } from "./settings.ts";
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
  goesByHand,
  hold,
  inForce,
  isTakenBack,
  isTold,
  letGo,
  ownerOf,
  patchClaim,
  podIsGone,
  podsRun,
  policyKey,
  progressOn,
  provideClaim,
  referenceTo,
  runningSet,
  scale,
  set,
  setOf,
  touch,
} from "./words.ts";

/** A set of which one replica was scaled away and left its claim, so that Kubernetes' own controller looks at it no more. */
async function withLeftClaim(world: World): Promise<void> {
  await runningSet(world, { policy: "Retain" });
  await scale(world, 1);
  await podIsGone(world, 1);
}

/** Writes the set anew as `kubectl replace` and Argo CD's `Replace=true` do: what the file does not say is gone. */
async function replaceSet(world: World): Promise<void> {
  const { admin, namespace } = world;
  const { apiVersion, kind, metadata, spec } = await setOf(world);
  const { persistentVolumeClaimRetentionPolicy: _, ...rest } = spec;
  const { name, labels = {} } = metadata;
  const file = { apiVersion, kind, metadata: { name, namespace, labels }, spec: rest };
  await admin.request("PUT", pathOf(StatefulSet, namespace, name), file);
}

/** To whom claims belong, and what is in the way. */
export const owning: readonly Story[] = [
  {
    title: "a claim without a pod is given to the set, which it does not hold up",
    settings: whereReferred,
    async tell(world) {
      await withLeftClaim(world);
      await changePolicy(world, onDeletion);
      await belongsTo(world, 1, ["StatefulSet web"]);
      const [reference] = (await claimOf(world, 1))?.metadata.ownerReferences ?? [];
      const { uid } = (await setOf(world)).metadata;
      expect(reference).toMatchObject({ uid, controller: true, blockOwnerDeletion: false });
    },
  },
  {
    title: "a claim that somebody else controls gets no reference of ours, is told so, and stays when the set goes",
    settings: core,
    async tell(world) {
      await withLeftClaim(world);
      const data = await dataOf(world, [1]);
      const owner = await ownerOf(world, "somebody");
      await patchClaim(world, 1, { ownerReferences: [referenceTo(owner, { controller: true })] });
      await changePolicy(world, onDeletion);
      if (whereReferred.includes(world.setting)) {
        const told = await isTold(world, "PersistentVolumeClaim", claimName(1), "ConflictingController");
        expect(told).toMatchObject({ type: "Warning" });
        expect(told.note).toContain("controlled by ConfigMap somebody");
      }
      const another = await ownerOf(world, "another");
      await patchClaim(world, 1, { ownerReferences: [referenceTo(another, { controller: true })] });
      await touch(world);
      if (whereReferred.includes(world.setting))
        await world.eventually("it is told who controls it now", async () => {
          const { note } = await isTold(world, "PersistentVolumeClaim", claimName(1), "ConflictingController");
          return note.includes("controlled by ConfigMap another");
        });
      await deleteSet(world);
      await dataStays(world, [1], data);
      await belongsTo(world, 1, ["ConfigMap another"]);
    },
  },
  {
    title:
      "a reference of ours is taken away when somebody else comes to control the claim, and comes back when they let go",
    settings: whereReferred,
    async tell(world) {
      await withLeftClaim(world);
      await changePolicy(world, onDeletion);
      await belongsTo(world, 1, ["StatefulSet web"]);
      const [reference] = (await claimOf(world, 1))?.metadata.ownerReferences ?? [];
      const owner = await ownerOf(world, "somebody");
      const theirs = referenceTo(owner, { controller: true });
      // Two controllers at once the API server refuses: the newcomer takes the flag.
      const given = reference ? [{ ...reference, controller: false }, theirs] : [theirs];
      await patchClaim(world, 1, { ownerReferences: given });
      await touch(world);
      await isTold(world, "PersistentVolumeClaim", claimName(1), "ConflictingController");
      await patchClaim(world, 1, { ownerReferences: [] });
      await touch(world);
      await belongsTo(world, 1, ["StatefulSet web"]);
      await isTakenBack(world, "PersistentVolumeClaim", claimName(1), "ConflictingController");
    },
  },
  {
    title: "a set that is replaced as a whole, without policy and finalizer, leaves the claims that were its own",
    settings: whereReferred,
    within: true,
    async tell(world) {
      await runningSet(world, { policy: onDeletion, replicas: 3 });
      const data = await dataOf(world, [0, 1, 2]);
      await scale(world, 1);
      for (const ordinal of [1, 2]) {
        await podIsGone(world, ordinal);
        await belongsTo(world, ordinal, ["StatefulSet web"]);
        await world.eventually(`own has noted that of claim ${ordinal}`, async () => {
          const claim = await claimOf(world, ordinal);
          return claim && progressOn(claim, "own");
        });
      }
      await replaceSet(world);
      await world.sweep();
      for (const ordinal of [0, 1, 2]) await belongsTo(world, ordinal, []);
      await deleteSet(world);
      await dataStays(world, [0, 1, 2], data);
    },
  },
  {
    title: "a reference that is written when the policy has turned to keeping already is taken off again",
    settings: whereReferred,
    within: true,
    async tell(world) {
      await withLeftClaim(world);
      const data = await dataOf(world, [0, 1]);
      const late = Promise.withResolvers<void>();
      let status: number | undefined;
      world.intercept(async ({ rule, request }, send) => {
        if (rule !== "pvc-retention/own" || request.method !== "PATCH" || status !== undefined) return send();
        status = 0;
        await late.promise;
        const answer = await send();
        ({ status } = answer);
        return answer;
      });
      await annotateSet(world, { [policyKey]: onDeletion });
      await world.eventually("own is about to write", () => status === 0);
      await changePolicy(world, "Retain");
      late.resolve();
      await world.eventually("own has written", () => status === 200);
      await belongsTo(world, 1, []);
      await deleteSet(world);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "a claim that refers to an earlier set of the name is not touched",
    settings: whereReferred,
    async tell(world) {
      await withLeftClaim(world);
      const stale = { ...referenceTo(await setOf(world)), uid: "00000000-0000-0000-0000-000000000001" };
      // The garbage collector deletes it for the sake of an owner that is gone; a finalizer keeps it long enough to look.
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
    settings: whereReferred,
    async tell(world) {
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
    settings: core,
    async tell(world) {
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
    settings: core,
    async tell(world) {
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
  {
    title: "a reference that is taken away again and again is left off after three times, and told",
    settings: [before],
    async tell(world) {
      await runningSet(world, { policy: onDeletion, replicas: 1 });
      for (let round = 0; round < 3; round++) {
        await belongsTo(world, 0, ["StatefulSet web"]);
        await patchClaim(world, 0, { ownerReferences: [] });
        await touch(world);
      }
      await isTold(world, "PersistentVolumeClaim", claimName(0), "OwnerReferenceTakenAway");
      await touch(world);
      await world.rest();
      await belongsTo(world, 0, []);
    },
  },
];
