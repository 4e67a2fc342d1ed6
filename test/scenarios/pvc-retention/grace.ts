import { expect } from "vitest";
import { PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { pod } from "../../worlds/manifest.ts";
import type { World } from "../../worlds/world.ts";
import type { Story } from "../story.ts";
import { both, onDeletion, onScaledown } from "./policies.ts";
import { core } from "./settings.ts";
import {
  annotateNamespace,
  annotateSet,
  askToDelete,
  belongsTo,
  byHandKey,
  changePolicy,
  claimIsOld,
  claimName,
  claimOf,
  createSet,
  dataGoes,
  dataOf,
  dataStays,
  deleteSet,
  graceKey,
  inForce,
  isTakenBack,
  isTold,
  markKey,
  noticesOn,
  patchClaim,
  podIsGone,
  podsRun,
  policyKey,
  progressOn,
  provideClaim,
  runningSet,
  scale,
  set,
  setIsGone,
} from "./words.ts";

const grace = "pvc-retention/grace";

/** Long enough that nothing is due within the story. */
const hours = { [graceKey]: "24h" };

/** Waits until a claim is marked, and answers when it goes, in milliseconds since the epoch. */
function isMarked(world: World, ordinal: number): Promise<number> {
  return world.eventually(`claim ${claimName(ordinal)} is marked`, async () => {
    const mark = (await claimOf(world, ordinal))?.metadata.annotations?.[markKey];
    return mark !== undefined && Date.parse(mark);
  });
}

function isUnmarked(world: World, ordinal: number): Promise<unknown> {
  return world.eventually(`claim ${claimName(ordinal)} is not marked any more`, async () => {
    const claim = await claimOf(world, ordinal);
    return claim && !claim.metadata.annotations?.[markKey] && !progressOn(claim, "grace");
  });
}

/** Marks a claim with a time that is past: an administrator who does not want to wait. */
async function isDueNow(world: World, ordinal: number): Promise<void> {
  await isMarked(world, ordinal);
  await patchClaim(world, ordinal, { annotations: { [markKey]: "2026-01-01T00:00:00Z" } });
}

/** Gives the function the event that the sweep sends when a claim's time has come. */
async function comesDue(world: World, ordinal: number): Promise<void> {
  const due = await isMarked(world, ordinal);
  await world.eventually("the time has come", () => world.clock.now() >= due, 60_000);
  await world.instance(grace)({ change: "sweep", kind: PersistentVolumeClaim, name: claimName(ordinal) });
}

/** Claims that are kept for a while first. */
export const gracePeriods: readonly Story[] = [
  {
    title: "a claim of a replica that was scaled away is marked with its time and told first, and deleted then",
    within: true,
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onScaledown, annotations: { [graceKey]: "3s" } });
      const data = await dataOf(world, [0, 1]);
      const asked = world.clock.now();
      await scale(world, 1);
      await podIsGone(world, 1);
      const due = await isMarked(world, 1);
      expect(due).toBeGreaterThanOrEqual(asked + 3000);
      const told = await isTold(world, "PersistentVolumeClaim", claimName(1), "DeletionScheduled");
      expect(told).toMatchObject({ type: "Warning" });
      expect(told.note).toContain(`kubectl annotate pvc ${claimName(1)} -n ${world.namespace} ${markKey}-`);
      await belongsTo(world, 1, []);
      await comesDue(world, 1);
      await dataGoes(world, [1], data.slice(1));
      await dataStays(world, [0], data);
    },
  },
  {
    title: "the sweep deletes a claim when its time has come",
    within: true,
    alone: true,
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onScaledown, annotations: { [graceKey]: "1s" } });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await isMarked(world, 1);
      // It naps until then.
      await world.sweep();
      await dataGoes(world, [1], data.slice(1));
    },
  },
  {
    title: "claims of a set that was deleted outlive it, marked with their time, and are deleted then",
    within: true,
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onDeletion, annotations: { [graceKey]: "3s" } });
      const data = await dataOf(world, [0, 1]);
      await deleteSet(world);
      for (const ordinal of [0, 1]) await podIsGone(world, ordinal);
      for (const ordinal of [0, 1]) expect((await claimOf(world, ordinal))?.metadata.uid).toBe(data[ordinal]?.claim);
      for (const ordinal of [0, 1]) await comesDue(world, ordinal);
      await dataGoes(world, [0, 1], data);
    },
  },
  {
    title: "a claim is saved when its mark is taken off, is remembered, and serves again when the replica comes back",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onScaledown, annotations: hours });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await isMarked(world, 1);
      await patchClaim(world, 1, { annotations: { [markKey]: null } });
      await isTold(world, "PersistentVolumeClaim", claimName(1), "ClaimSaved");
      await dataStays(world, [1], data.slice(1));
      expect((await claimOf(world, 1))?.metadata.annotations).not.toHaveProperty(markKey);

      await scale(world, 2);
      await podsRun(world, 2);
      await isUnmarked(world, 1);
      expect(await dataOf(world, [0, 1])).toEqual(data);
    },
  },
  {
    title: "a claim is saved when its replica is wanted again: it is used again, and says so",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: both, annotations: hours });
      const data = await dataOf(world, [0, 1]);
      for (const _ of ["once", "and once more"]) {
        await scale(world, 1);
        await podIsGone(world, 1);
        await isMarked(world, 1);
        await scale(world, 2);
        await podsRun(world, 2);
        await isUnmarked(world, 1);
        const told = await isTold(world, "PersistentVolumeClaim", claimName(1), "DeletionCalledOff");
        expect(told.note).toContain("uses it again");
      }
      expect(await dataOf(world, [0, 1])).toEqual(data);
    },
  },
  {
    title: "a claim that was used again while nobody looked is kept for all of the delay when it is scaled away again",
    within: true,
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onScaledown, annotations: hours });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await podIsGone(world, 1);
      await isMarked(world, 1);
      let isAway = true;
      world.intercept(({ rule }, send) =>
        isAway && rule === grace ? Promise.reject(new Error("It is not installed.")) : send(),
      );
      // As if the delay had passed meanwhile.
      await patchClaim(world, 1, { annotations: { [markKey]: "2026-01-01T00:00:00Z" } });
      await scale(world, 2);
      await podsRun(world, 2);
      await scale(world, 1);
      await podIsGone(world, 1);
      isAway = false;
      await world.instance(grace)({ change: "sweep", kind: PersistentVolumeClaim, name: claimName(1) });
      expect(await isMarked(world, 1)).toBeGreaterThan(world.clock.now());
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "a claim is saved when the policy changes to one that keeps it",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onScaledown, annotations: hours });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await isMarked(world, 1);
      await annotateSet(world, { [policyKey]: "Retain" });
      await isUnmarked(world, 1);
      await dataStays(world, [0, 1], data);
      await world.eventually("the Warning is taken back", async () => {
        const notices = await noticesOn(world, "PersistentVolumeClaim", claimName(1));
        return notices.every(({ type }) => type !== "Warning");
      });
    },
  },
  {
    title: "whoever changes the policy to one that keeps a claim, and back, and again, is told once",
    within: true,
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onScaledown, annotations: hours });
      const data = await dataOf(world, [0, 1]);
      // Nobody but the story wakes the functions, or grace would be first to take the mark away.
      world.fate(({ kind }) => (kind === "StatefulSet" || kind === "Pod" ? [] : undefined));
      const sweeps = (rule: string) =>
        world.instance(`pvc-retention/${rule}`)({ change: "sweep", kind: StatefulSet, name: set });
      await scale(world, 1);
      await podIsGone(world, 1);
      await sweeps("grace");
      await isMarked(world, 1);
      for (const _ of ["once", "and once more"]) {
        await annotateSet(world, { [policyKey]: "Retain" });
        await sweeps("forgive");
        await isUnmarked(world, 1);
        await isTold(world, "PersistentVolumeClaim", claimName(1), "ClaimKept");
        await annotateSet(world, { [policyKey]: onScaledown });
        await sweeps("grace");
        await isMarked(world, 1);
      }
      const told = (await noticesOn(world, "PersistentVolumeClaim", claimName(1))).map(({ reason }) => reason);
      expect(told.filter((reason) => reason === "ClaimKept")).toEqual(["ClaimKept"]);
      await dataStays(world, [1], data.slice(1));
    },
  },
  {
    title: "a set that waits for its claims to be marked says so after a minute, and is let go by Retain",
    within: true,
    takes: 70_000,
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onDeletion, annotations: hours, replicas: 3 });
      const data = await dataOf(world, [0, 1, 2]);
      world.intercept(({ rule }, send) =>
        rule === grace ? Promise.reject(new Error("It is not installed.")) : send(),
      );
      await askToDelete(world);
      const asked = world.clock.now();
      await world.eventually("a minute passes", () => world.clock.now() > asked + 61_000, 62_000);
      const sweeps = () => world.instance("pvc-retention/bequeath")({ change: "sweep", kind: StatefulSet, name: set });
      await sweeps();
      const told = await isTold(world, "StatefulSet", set, "ClaimsNotMarked");
      expect(told.note).toContain("3 are not");
      expect(told.note).toContain("Is pvc-retention/grace installed");

      await patchClaim(world, 2, { annotations: { [byHandKey]: "true" } });
      await world.admin.delete(PersistentVolumeClaim, world.namespace, claimName(2));
      await sweeps();
      await world.eventually("it is told anew", async () => {
        return (await isTold(world, "StatefulSet", set, "ClaimsNotMarked")).note.includes("2 are not");
      });
      await annotateSet(world, { [policyKey]: "Retain" });
      await setIsGone(world);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "claims of a deleted set are saved when the set is made again",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onDeletion, annotations: hours });
      const data = await dataOf(world, [0, 1]);
      await deleteSet(world);
      for (const ordinal of [0, 1]) await podIsGone(world, ordinal);
      await isMarked(world, 0);
      await createSet(world, { policy: onDeletion, annotations: hours });
      await podsRun(world, 2);
      expect(await dataOf(world, [0, 1])).toEqual(data);
      for (const ordinal of [0, 1]) await isUnmarked(world, ordinal);
    },
  },
  {
    title: "a claim of a deleted set is saved when its mark is taken off",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onDeletion, annotations: hours });
      const data = await dataOf(world, [0, 1]);
      await deleteSet(world);
      await isMarked(world, 0);
      await patchClaim(world, 0, { annotations: { [markKey]: null } });
      await isTold(world, "PersistentVolumeClaim", claimName(0), "ClaimSaved");
      await isDueNow(world, 1);
      await dataGoes(world, [1], data.slice(1));
      await dataStays(world, [0], data);
    },
  },
  {
    title: "with --cascade=orphan nothing is marked",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: both, annotations: hours });
      const data = await dataOf(world, [0, 1]);
      await deleteSet(world, "Orphan");
      await dataStays(world, [0, 1], data);
      for (const ordinal of [0, 1])
        expect((await claimOf(world, ordinal))?.metadata.annotations).not.toHaveProperty(markKey);
    },
  },
  {
    title: "the time on a claim may be moved by hand, and counts",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onScaledown, annotations: hours });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await podIsGone(world, 1);
      await isDueNow(world, 1);
      await dataGoes(world, [1], data.slice(1));
    },
  },
  {
    title: "a time on a claim that nobody can read deletes nothing, and is told until it is mended",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onScaledown, annotations: hours });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await isMarked(world, 1);
      await patchClaim(world, 1, { annotations: { [markKey]: "tomorrow" } });
      const told = await isTold(world, "PersistentVolumeClaim", claimName(1), "UnreadableDeleteTime");
      expect(told).toMatchObject({ type: "Warning" });
      await dataStays(world, [1], data.slice(1));
      await patchClaim(world, 1, { annotations: { [markKey]: "2126-01-01T00:00:00Z" } });
      await isTakenBack(world, "PersistentVolumeClaim", claimName(1), "UnreadableDeleteTime");
    },
  },
  {
    title: "a delay that nobody can read keeps everything, and is told",
    settings: core,
    async tell(world) {
      await runningSet(world, { annotations: { [policyKey]: both, [graceKey]: "a week" } });
      const told = await isTold(world, "StatefulSet", set, "PolicyUnreadable");
      expect(told).toMatchObject({ type: "Warning" });
      expect(told.note).toContain('"a week"');
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await podIsGone(world, 1);
      await dataStays(world, [0, 1], data);
      await deleteSet(world);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "a set that is made again with fewer replicas marks nothing of what was left for it, and says so",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: onScaledown, replicas: 3, annotations: hours });
      const data = await dataOf(world, [0, 1, 2]);
      await deleteSet(world);
      for (const ordinal of [0, 1, 2]) await podIsGone(world, ordinal);
      await claimIsOld(world, 2);
      await runningSet(world, { policy: onScaledown, replicas: 1, annotations: hours });
      const told = await isTold(world, "PersistentVolumeClaim", claimName(2), "CondemnedClaimKept");
      expect(told.note).toContain("is older than StatefulSet web");
      expect((await claimOf(world, 2))?.metadata.annotations).not.toHaveProperty(markKey);

      await scale(world, 3);
      await podsRun(world, 3);
      await world.eventually("the set is seen to use it", async () => {
        const claim = await claimOf(world, 2);
        return claim && progressOn(claim, "grace")?.step === "used";
      });
      await scale(world, 2);
      await isMarked(world, 2);
      await dataStays(world, [0, 1, 2], data);
    },
  },
  {
    title: "a namespace's delay is that of its sets",
    settings: core,
    async tell(world) {
      await annotateNamespace(world, { [policyKey]: onScaledown, ...hours });
      await runningSet(world);
      await inForce(world, onScaledown);
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await podIsGone(world, 1);
      await isMarked(world, 1);
      await dataStays(world, [1], data.slice(1));
    },
  },
  {
    title: "a mark that was written by hand, or copied with the claim, deletes nothing",
    settings: core,
    async tell(world) {
      const progress = JSON.stringify({
        v: 1,
        uid: "00000000-0000-0000-0000-000000000001",
        step: "marked",
        since: "2026-01-01T00:00:00Z",
        next: "2026-01-01T00:00:00Z",
        because: "It was the claim of another cluster.",
        set,
        setUid: "00000000-0000-0000-0000-000000000002",
        cause: "scaled-down",
        policy: onScaledown,
      });
      const annotations = { [markKey]: "2026-01-01T00:00:00Z" };
      await provideClaim(world, 1, { annotations: { ...annotations, "holdfast.dev/pvc-retention.grace": progress } });
      await provideClaim(world, 2, { annotations });
      await runningSet(world, { policy: onDeletion, annotations: hours, replicas: 1 });
      const data = await dataOf(world, [1, 2]);
      await dataStays(world, [1, 2], data);
    },
  },
  {
    title: "a claim whose time has come waits for a pod that uses it",
    settings: core,
    async tell(world) {
      const { admin, namespace } = world;
      await runningSet(world, { policy: onScaledown, annotations: hours });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await podIsGone(world, 1);
      const backup = pod({ namespace, name: "backup" }, [claimName(1)], { schedulerName: "default-scheduler" });
      await admin.create(Pod, backup);
      await isDueNow(world, 1);
      await isTold(world, "PersistentVolumeClaim", claimName(1), "DeletionPostponed");
      await dataStays(world, [1], data.slice(1));
    },
  },
  {
    title: "a policy that comes with a delay gives back what it had written onto the field, and marks what is to go",
    settings: core,
    async tell(world) {
      await runningSet(world, { policy: both });
      const data = await dataOf(world, [0, 1]);
      await annotateSet(world, hours);
      await world.eventually("the delay is in force", async () => {
        await changePolicy(world, both);
        return (await claimOf(world, 0))?.metadata.ownerReferences === undefined;
      });
      await scale(world, 1);
      await podIsGone(world, 1);
      await isMarked(world, 1);
      await dataStays(world, [0, 1], data);
    },
  },
];
