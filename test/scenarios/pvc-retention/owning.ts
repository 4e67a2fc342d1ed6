import { expect } from "vitest";
import { PersistentVolumeClaim, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { ConfigMap } from "../../harness/kinds.ts";
import { claim } from "../../harness/manifest.ts";
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
  fieldOf,
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
async function withLeftClaim(cluster: Cluster): Promise<void> {
  await runningSet(cluster, { policy: "Retain" });
  await scale(cluster, 1);
  await podIsGone(cluster, 1);
}

/**
 * Holds the write that ties a claim until the policy has changed to Retain, and lets it go. Returns how it was
 * answered. Throws what sending it throws.
 */
async function tieLate(cluster: Cluster): Promise<number> {
  const late = Promise.withResolvers<void>();
  let isHeld = false;
  let outcome: (() => number) | undefined;
  cluster.intercept(async ({ rule, request }, send) => {
    // What unties has the same path, and removes.
    const ties =
      rule === "pvc-retention/set-owner" && /"add","path":"\/metadata\/ownerReferences/.test(request.body ?? "");
    if (!ties || isHeld) return send();
    isHeld = true;
    await late.promise;
    try {
      // It arrives also after the function has given it up, as it may where the machine is slow.
      const answer = await send({ ...request, signal: new AbortController().signal });
      outcome = () => answer.status;
      return answer;
    } catch (error) {
      outcome = () => {
        throw error;
      };
      throw error;
    }
  });
  try {
    await annotateSet(cluster, { [policyKey]: onDeletion });
    await cluster.eventually("own is about to write", () => isHeld);
    await annotateSet(cluster, { [policyKey]: "Retain" });
    await fieldBecomes(cluster, "Retain/Retain");
  } finally {
    late.resolve();
  }
  const answer = await cluster.eventually("the held write has ended", () => outcome);
  return answer();
}

/** To whom claims belong, and what is in the way. */
export const owning: readonly Scenario[] = [
  {
    title: "a claim without a pod gets the set as its owner, and does not delay the set's deletion",
    async run(cluster) {
      await withLeftClaim(cluster);
      await changePolicy(cluster, onDeletion);
      await belongsTo(cluster, 1, ["StatefulSet web"]);
      const [reference] = (await claimOf(cluster, 1))?.metadata.ownerReferences ?? [];
      const { uid } = (await setOf(cluster)).metadata;
      expect(reference).toMatchObject({ uid, controller: true, blockOwnerDeletion: false });
    },
  },
  {
    title: "a claim that another owner controls gets no owner reference, says so, and stays when the set is deleted",
    async run(cluster) {
      await withLeftClaim(cluster);
      const data = await dataOf(cluster, [1]);
      const owner = await ownerOf(cluster, "other-owner");
      await patchClaim(cluster, 1, { ownerReferences: [referenceTo(owner, { controller: true })] });
      await changePolicy(cluster, onDeletion);
      const { note } = await hasEvent(cluster, "PersistentVolumeClaim", claimName(1), "ClaimNotIncluded");
      expect(note).toContain("ConfigMap other-owner owns it");
      const another = await ownerOf(cluster, "another");
      await patchClaim(cluster, 1, { ownerReferences: [referenceTo(another, { controller: true })] });
      await changePolicy(cluster, "Retain");
      await changePolicy(cluster, onDeletion);
      await cluster.eventually("it is said who owns it now", async () => {
        const { note } = await hasEvent(cluster, "PersistentVolumeClaim", claimName(1), "ClaimNotIncluded");
        return note.includes("ConfigMap another owns it");
      });
      await deleteSet(cluster);
      await dataStays(cluster, [1], data);
      await belongsTo(cluster, 1, ["ConfigMap another"]);
    },
  },
  {
    title: "an owner reference that is written after the policy has changed to Retain is removed again",
    within: true,
    async run(cluster) {
      await withLeftClaim(cluster);
      const data = await dataOf(cluster, [0, 1]);
      // A real server refuses the write where the claim has changed since it was read: then it is held once more.
      let status: number | undefined;
      for (let round = 0; round < 5 && status !== 200; round++) {
        if (round > 0) await inForce(cluster, "Retain");
        status = await tieLate(cluster);
        expect([200, 409, 422]).toContain(status);
      }
      expect(status).toBe(200);
      await belongsTo(cluster, 1, []);
      await deleteSet(cluster);
      await dataStays(cluster, [0, 1], data);
    },
  },
  {
    title: "a change to Retain unties a claim that Holdfast tied, also while the field cannot be written",
    within: true,
    async run(cluster) {
      await withLeftClaim(cluster);
      await changePolicy(cluster, onDeletion);
      await belongsTo(cluster, 1, ["StatefulSet web"]);
      const data = await dataOf(cluster, [0, 1]);
      let isAway = true;
      cluster.intercept(({ rule, request }, send) => {
        const fails = isAway && rule === "pvc-retention/sync-policy" && request.method === "PATCH";
        return fails ? Promise.reject(new Error("timed out")) : send();
      });
      await annotateSet(cluster, { [policyKey]: "Retain" });
      await belongsTo(cluster, 1, []);
      expect(await fieldOf(cluster)).toBe("Delete/Retain");
      isAway = false;
      await inForce(cluster, "Retain");
      await deleteSet(cluster);
      await dataStays(cluster, [0, 1], data);
    },
  },
  {
    title: "a claim whose owner is an earlier set of the same name is not changed",
    async run(cluster) {
      await withLeftClaim(cluster);
      const stale = { ...referenceTo(await setOf(cluster)), uid: "00000000-0000-0000-0000-000000000001" };
      // The garbage collector deletes it for the sake of an owner that is gone; a finalizer keeps it long enough to
      // look.
      await hold(cluster, 1);
      await goesByHand(cluster, 1);
      await patchClaim(cluster, 1, { ownerReferences: [stale] });
      await changePolicy(cluster, onDeletion);
      await touch(cluster);
      await cluster.rest();
      expect((await claimOf(cluster, 1))?.metadata.ownerReferences).toEqual([stale]);
      await letGo(cluster, 1);
    },
  },
  {
    title: "owners that are no controllers stay on a claim, and keep it until they are gone",
    async run(cluster) {
      await withLeftClaim(cluster);
      const data = await dataOf(cluster, [1]);
      const owner = await ownerOf(cluster, "other-owner");
      await patchClaim(cluster, 1, { ownerReferences: [referenceTo(owner)] });
      await changePolicy(cluster, onDeletion);
      await belongsTo(cluster, 1, ["ConfigMap other-owner", "StatefulSet web"]);
      await deleteSet(cluster);
      await dataStays(cluster, [1], data);
      await goesByHand(cluster, 1);
      await cluster.admin.delete(ConfigMap, cluster.namespace, "other-owner");
      await dataGoes(cluster, [1], data);
    },
  },
  {
    title: "claims that were created by hand before the set are deleted like its own",
    async run(cluster) {
      for (const ordinal of [0, 1]) await provideClaim(cluster, ordinal);
      const data = await dataOf(cluster, [0, 1]);
      await runningSet(cluster, { policy: both });
      expect(await dataOf(cluster, [0, 1])).toEqual(data);
      await scale(cluster, 1);
      await dataGoes(cluster, [1], data.slice(1));
      await deleteSet(cluster);
      await dataGoes(cluster, [0], data);
    },
  },
  {
    title: "claims that are not from the set's templates stay, also if its pods use them or their names are similar",
    async run(cluster) {
      const { admin, namespace } = cluster;
      const spec = { storageClassName: "standard" };
      for (const name of ["shared", "data-web-01", "data-web-x", "data-web", "logs-web-0"])
        await admin.create(PersistentVolumeClaim, claim({ namespace, name }, spec));
      await createSet(cluster, { policy: both });
      const volumes = [{ name: "shared", persistentVolumeClaim: { claimName: "shared" } }];
      await admin.patch(StatefulSet, namespace, set, "merge", { spec: { template: { spec: { volumes } } } });
      await podsRun(cluster, 2);
      await inForce(cluster, both);
      const data = await dataOf(cluster, [0, 1]);
      await scale(cluster, 1);
      await dataGoes(cluster, [1], data.slice(1));
      await deleteSet(cluster);
      await dataGoes(cluster, [0], data);
      await cluster.rest();
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
