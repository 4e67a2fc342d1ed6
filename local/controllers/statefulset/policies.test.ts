import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigMap, PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { openSetWorld, referenceTo, type SetWorld } from "./testing/sets.ts";

const policies = [
  ["Retain", "Retain"],
  ["Delete", "Retain"],
  ["Retain", "Delete"],
  ["Delete", "Delete"],
] as const;

describe("the retention of claims", () => {
  let world: SetWorld;
  beforeAll(async () => {
    world = await openSetWorld();
  });
  afterAll(() => world.close());

  const policyOf = (whenDeleted: string, whenScaled: string) => ({
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
  });
  const turn = (set: string, whenDeleted: string, whenScaled: string) =>
    world.patch(StatefulSet, set, { spec: policyOf(whenDeleted, whenScaled) });
  const owned = (claim: string, ...owners: string[]) =>
    world.until(`${claim} is owned by ${owners.join() || "no object"}`, async () => {
      return (await world.ownersOf(claim)).join() === owners.join();
    });
  const own = (claim: string, ...ownerReferences: object[]) =>
    world.patch(PersistentVolumeClaim, claim, { metadata: { ownerReferences } });
  /** Waits until nothing of a set with one pod has changed for a while, and its controller has seen the last of it. */
  async function settled(name: string): Promise<void> {
    const versions = async () =>
      [await world.set(name), await world.pod(`${name}-0`)].map((one) => one?.metadata.resourceVersion).join();
    for (let before = ""; before !== (await versions()); ) {
      before = await versions();
      await world.rest();
    }
  }
  /**
   * Changes a set until something has come about: its controller learns of sets and claims by a watch of each, and may
   * look before it sees the claim as it is.
   */
  const touchedUntil = (name: string, what: string, check: () => Promise<unknown>) =>
    world.until(what, async () => {
      if (await check()) return true;
      await world.touch(name);
      return false;
    });
  const anObject = (name: string) => world.create(ConfigMap, name);
  const event = "ConflictingController: PersistentVolumeClaim";

  describe.each(policies)("whenDeleted %s, whenScaled %s", (whenDeleted, whenScaled) => {
    const name = `${whenDeleted}-${whenScaled}`.toLowerCase();
    const claim = (ordinal: number) => `data-${name}-${ordinal}`;
    const setOwner = whenDeleted === "Delete" ? [`StatefulSet ${name}`] : [];

    it("says who owns the claims of wanted pods, of condemned ones, and what goes with them", async () => {
      await world.createSet(name, { replicas: 2, ...policyOf(whenDeleted, whenScaled) });
      await world.ready(name, 2);
      for (const ordinal of [0, 1]) await owned(claim(ordinal), ...setOwner);
      await world.keep(Pod, `${name}-1`);
      await world.scale(name, 1);
      await owned(claim(1), ...(whenScaled === "Delete" ? [`Pod ${name}-1`] : setOwner));
      await owned(claim(0), ...setOwner);
      await world.dying(Pod, `${name}-1`);
      await world.letGo(Pod, `${name}-1`);
      await world.gone(Pod, `${name}-1`);
      if (whenScaled === "Delete") await world.gone(PersistentVolumeClaim, claim(1));
      await world.rest();
      expect(Boolean(await world.claim(claim(1)))).toBe(whenScaled === "Retain");

      await world.delete(StatefulSet, name);
      await world.gone(Pod, `${name}-0`);
      if (whenDeleted === "Delete") await world.gone(PersistentVolumeClaim, claim(0));
      await world.rest();
      expect(Boolean(await world.claim(claim(0)))).toBe(whenDeleted === "Retain");
    });

    it("keeps the claims when the set is deleted with orphans", async () => {
      const name = `orphans-${whenDeleted}-${whenScaled}`.toLowerCase();
      await world.createSet(name, policyOf(whenDeleted, whenScaled));
      await world.ready(name, 1);
      await owned(`data-${name}-0`, ...(whenDeleted === "Delete" ? [`StatefulSet ${name}`] : []));
      await world.rest();
      await world.delete(StatefulSet, name, { propagationPolicy: "Orphan" });
      await world.gone(StatefulSet, name);
      await world.delete(Pod, `${name}-0`);
      await world.gone(Pod, `${name}-0`);
      await world.rest();
      expect(await world.ownersOf(`data-${name}-0`)).toEqual([]);
      expect((await world.claim(`data-${name}-0`))?.metadata.deletionTimestamp).toBeUndefined();
    });
  });

  it("makes the set control its claims, in a way that blocks", async () => {
    const { metadata } = await world.createSet("shape", policyOf("Delete", "Retain"));
    await owned("data-shape-0", "StatefulSet shape");
    expect((await world.claim("data-shape-0"))?.metadata.ownerReferences).toEqual([
      {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        name: "shape",
        uid: metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  });

  it("follows the policy both ways", async () => {
    await world.createSet("turning");
    await world.ready("turning", 1);
    await turn("turning", "Delete", "Delete");
    await owned("data-turning-0", "StatefulSet turning");
    await turn("turning", "Retain", "Delete");
    await owned("data-turning-0");
  });

  it("leaves claims of ordinals without a pod as they are", async () => {
    await world.createSet("leftover", { replicas: 2 });
    await world.ready("leftover", 2);
    await world.scale("leftover", 1);
    await world.gone(Pod, "leftover-1");
    await turn("leftover", "Delete", "Delete");
    await owned("data-leftover-0", "StatefulSet leftover");
    await world.rest();
    expect(await world.ownersOf("data-leftover-1")).toEqual([]);
  });

  it("strips a reference to the set that another client wrote, once something of the set changes", async () => {
    const set = await world.createSet("strip");
    await world.ready("strip", 1);
    // A busy controller may still have to look at what changed before: then the reference is written again.
    await world.until("the reference stays while nothing of the set changes", async () => {
      await settled("strip");
      await own("data-strip-0", referenceTo(set, { controller: false }));
      await world.rest();
      return (await world.ownersOf("data-strip-0")).join() === "StatefulSet strip";
    });
    await world.touch("strip");
    await owned("data-strip-0");
    await world.until("the set shows it", async () =>
      (await world.events("strip")).includes("SuccessfulUpdate: Update Pod strip-0 in StatefulSet strip successful"),
    );
  });

  it("makes a controller of the set where it only owns", async () => {
    const set = await world.createSet("weak", policyOf("Delete", "Retain"));
    await world.ready("weak", 1);
    await owned("data-weak-0", "StatefulSet weak");
    await own("data-weak-0", referenceTo(set));
    await touchedUntil("weak", "it controls again", async () =>
      (await world.claim("data-weak-0"))?.metadata.ownerReferences?.some(({ controller }) => controller),
    );
  });

  it("leaves owners of others alone, and puts itself beside them unless they control", async () => {
    const other = await anObject("bystander");
    await world.createSet("beside", policyOf("Delete", "Retain"));
    await world.ready("beside", 1);
    await own("data-beside-0", referenceTo(other));
    const beside = "ConfigMap bystander,StatefulSet beside";
    await touchedUntil("beside", "both own it", async () => (await world.ownersOf("data-beside-0")).join() === beside);
    await turn("beside", "Retain", "Retain");
    await owned("data-beside-0", "ConfigMap bystander");
  });

  it("gives way to another controller, and says so", async () => {
    const other = await anObject("master");
    const set = await world.createSet("yield", policyOf("Delete", "Delete"));
    await world.ready("yield", 1);
    await own("data-yield-0", referenceTo(set), referenceTo(other, { controller: true }));
    const masterOnly = async () => (await world.ownersOf("data-yield-0")).join() === "ConfigMap master";
    await touchedUntil("yield", "it gives way", masterOnly);
    await world.until("the set shows it", async () =>
      (await world.events("yield")).some((line) =>
        line.startsWith(`${event} data-yield-0 has a conflicting OwnerReference`),
      ),
    );
    await world.touch("yield");
    await world.rest();
    expect(await world.ownersOf("data-yield-0")).toEqual(["ConfigMap master"]);
  });

  it("touches nothing while the set is being deleted", async () => {
    const set = await world.createSet("ending");
    await world.ready("ending", 1);
    await world.keep(StatefulSet, "ending");
    await world.delete(StatefulSet, "ending");
    await world.dying(StatefulSet, "ending");
    await own("data-ending-0", referenceTo(set));
    await world.touch("ending");
    await turn("ending", "Delete", "Delete");
    await world.rest();
    expect(await world.ownersOf("data-ending-0")).toEqual(["StatefulSet ending"]);
    expect((await world.claim("data-ending-0"))?.metadata.ownerReferences?.[0]?.controller).toBeUndefined();
    await world.letGo(StatefulSet, "ending");
    await world.gone(PersistentVolumeClaim, "data-ending-0");
  });

  it(
    "makes no pod for a claim that goes with an earlier one, nor when it has gone until something of the set " +
      "changes",
    async () => {
      await world.createSet("stale", policyOf("Retain", "Delete"));
      await world.ready("stale", 1);
      const { uid } = (await world.claim("data-stale-0"))?.metadata ?? {};
      await world.keep(PersistentVolumeClaim, "data-stale-0");
      await world.scale("stale", 0);
      await world.gone(Pod, "stale-0");
      await world.dying(PersistentVolumeClaim, "data-stale-0");
      await world.rest();
      await world.scale("stale", 1);
      await world.rest();
      expect(await world.podsOf("stale")).toEqual([]);
      expect(await world.ownersOf("data-stale-0")).toEqual(["Pod stale-0"]);
      await world.letGo(PersistentVolumeClaim, "data-stale-0");
      await world.gone(PersistentVolumeClaim, "data-stale-0");
      await world.rest();
      expect(await world.podsOf("stale")).toEqual([]);
      await world.touch("stale");
      await world.ready("stale", 1);
      expect((await world.claim("data-stale-0"))?.metadata.uid).not.toBe(uid);
    },
  );
});
