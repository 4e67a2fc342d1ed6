import { expect } from "vitest";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { World } from "../../worlds/world.ts";
import type { Story } from "../story.ts";
import { both, onDeletion, onScaledown } from "./policies.ts";
import { core, off } from "./settings.ts";
import {
  changePolicy,
  claimIsGone,
  claimIsOld,
  claimName,
  claimOf,
  dataGoes,
  dataOf,
  dataStays,
  deleteSet,
  isTold,
  ownerOf,
  patchClaim,
  podIsGone,
  podIsReplaced,
  podOf,
  podsRun,
  progressOn,
  referenceTo,
  runningSet,
  scale,
  set,
  touch,
  volumeGoes,
} from "./words.ts";

async function startAt({ admin, namespace }: World, start: number, replicas: number): Promise<void> {
  await admin.patch(StatefulSet, namespace, set, "merge", { spec: { replicas, ordinals: { start } } });
}

/** Claims of replicas that are scaled away. */
export const condemning: readonly Story[] = [
  {
    title: "with spec.ordinals.start claims go at both ends of the range, and those between stay",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onScaledown, start: 5, replicas: 3 });
      const data = await dataOf(world, [5, 6, 7]);
      await startAt(world, 6, 2);
      await dataGoes(world, [5], data);
      await scale(world, 1);
      await dataGoes(world, [7], data.slice(2));
      await podsRun(world, 1);
      await dataStays(world, [6], data.slice(1));
    },
  },
  {
    title: "a set whose ordinals are moved starts anew, and leaves nothing behind",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: both });
      const data = await dataOf(world, [0, 1]);
      await startAt(world, 10, 2);
      await dataGoes(world, [0, 1], data);
      await podsRun(world, 2);
      for (const ordinal of [10, 11]) expect(await claimOf(world, ordinal)).toBeDefined();
    },
  },
  {
    title: "scaled to nothing and back, a set starts anew where its claims go, and goes on where they stay",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onDeletion });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 0);
      for (const ordinal of [0, 1]) await podIsGone(world, ordinal);
      await scale(world, 2);
      await podsRun(world, 2);
      expect(await dataOf(world, [0, 1])).toEqual(data);

      await runningSet(world, { name: "cheap", policy: onScaledown });
      const cheap = await dataOf(world, [0, 1], "cheap");
      await scale(world, 0, "cheap");
      await dataGoes(world, [0, 1], cheap, "cheap");
      await scale(world, 2, "cheap");
      await podsRun(world, 2, "cheap");
    },
  },
  ...(["OrderedReady", "Parallel"] as const).map(
    (podManagementPolicy): Story => ({
      title: `${podManagementPolicy}: a replica that is wanted again while its pod stops gets a fresh claim, or all of its own`,
      settings: core,
      async tell(world) {
        await runningSet(world, { policy: onScaledown, stopAfter: 2500, spec: { podManagementPolicy } });
        const [first, second] = await dataOf(world, [0, 1]);
        const old = await podOf(world, 1);
        await scale(world, 1);
        await world.eventually("the pod stops", async () => (await podOf(world, 1))?.metadata.deletionTimestamp);
        await scale(world, 2);
        await podIsReplaced(world, 1, old?.metadata.uid ?? "");
        await podsRun(world, 2);
        await world.rest();
        // With Parallel, Kubernetes' controller takes its reference to the old pod off again.
        const [one, other] = await dataOf(world, [0, 1]);
        expect(one).toEqual(first);
        if (second && other?.claim !== second.claim) await volumeGoes(world, second);
        expect((await claimOf(world, 1))?.metadata.deletionTimestamp).toBeUndefined();
      },
    }),
  ),
  {
    title:
      "where Kubernetes is not asked to, a replica that is wanted again while its pod stops gets a fresh claim all the same",
    settings: [off],
    async tell(world) {
      await runningSet(world, { policy: onScaledown, stopAfter: 2500 });
      const [first, second] = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await world.eventually("the claim is being deleted", async () => {
        return (await claimOf(world, 1))?.metadata.deletionTimestamp;
      });
      await scale(world, 2);
      await claimIsGone(world, 1, second?.claim ?? "");
      await podsRun(world, 2);
      expect((await dataOf(world, [0]))[0]).toEqual(first);
    },
  },
  {
    title: "a replica that is scaled away and at once wanted again never gets half of an old claim",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: both });
      for (let round = 0; round < 2; round++) {
        await scale(world, 1);
        await podIsGone(world, 1);
        await scale(world, 2);
        await podsRun(world, 2);
      }
      // Fresh, or untouched: what must not be is for the invariants to find.
      await world.rest();
      await podsRun(world, 2);
      // A replica that came between the rule's last look and the deletion nobody could see: protection holds its claim, and it is told.
      if ((await claimOf(world, 1))?.metadata.deletionTimestamp)
        await isTold(world, "PersistentVolumeClaim", claimName(1), "ReplicaOnDeletedClaim");
    },
  },
  {
    title: "a condemned claim that somebody else owns as well is kept for them, and told",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onScaledown });
      const data = await dataOf(world, [0, 1]);
      await patchClaim(world, 1, { ownerReferences: [referenceTo(await ownerOf(world, "somebody"))] });
      await scale(world, 1);
      await podIsGone(world, 1);
      await touch(world);
      const told = await isTold(world, "PersistentVolumeClaim", claimName(1), "CondemnedClaimKept");
      expect(told.note).toContain("ConfigMap somebody owns it as well");
      await dataStays(world, [1], data.slice(1));

      await patchClaim(world, 1, { ownerReferences: [referenceTo(await ownerOf(world, "another"))] });
      await touch(world);
      await world.eventually("it is told who owns it now", async () => {
        const { note } = await isTold(world, "PersistentVolumeClaim", claimName(1), "CondemnedClaimKept");
        return note.includes("ConfigMap another owns it as well");
      });
    },
  },
  {
    title: "in a set of a dozen replicas claims go, and stay, as in a small one",
    settings: core,
    async tell(world) {
      const ordinals = Array.from({ length: 13 }, (_, ordinal) => ordinal);
      await runningSet(world, { policy: both, replicas: 13 });
      const data = await dataOf(world, ordinals);
      await scale(world, 12);
      await dataGoes(world, [12], data.slice(12));
      await changePolicy(world, "Retain");
      await deleteSet(world);
      await dataStays(world, ordinals.slice(0, 12), data);
    },
  },
  {
    title: "a set that is made again with fewer replicas takes nothing of what was left for it, and says so",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onScaledown, replicas: 3 });
      const data = await dataOf(world, [0, 1, 2]);
      await deleteSet(world);
      for (const ordinal of [0, 1, 2]) await podIsGone(world, ordinal);
      await claimIsOld(world, 2);
      await runningSet(world, { policy: onScaledown, replicas: 1 });
      const told = await isTold(world, "PersistentVolumeClaim", claimName(2), "CondemnedClaimKept");
      expect(told.note).toContain("is older than StatefulSet web");
      await dataStays(world, [0, 1, 2], data);

      await scale(world, 3);
      await podsRun(world, 3);
      expect(await dataOf(world, [0, 1, 2])).toEqual(data);
      await world.eventually("the set is seen to use it", async () => {
        const claim = await claimOf(world, 2);
        return claim && progressOn(claim, "condemn")?.step === "used";
      });
      await scale(world, 2);
      await dataGoes(world, [2], data.slice(2));
    },
  },
  {
    title: "with two templates, both claims of a replica go",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onScaledown, templates: ["data", "logs"] });
      const data = await dataOf(world, [0, 1]);
      const logs = await dataOf(world, [0, 1], set, "logs");
      await scale(world, 1);
      await dataGoes(world, [1], data.slice(1));
      await dataGoes(world, [1], logs.slice(1), set, "logs");
      await dataStays(world, [0], data);
      await dataStays(world, [0], logs, set, "logs");
    },
  },
];
