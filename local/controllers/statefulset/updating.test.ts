import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { hold, openSetWorld, type SetWorld, templateOf } from "./testing/sets.ts";

describe("a StatefulSet whose template changes", () => {
  let world: SetWorld;
  beforeAll(async () => {
    world = await openSetWorld();
  });
  afterAll(() => world.close());

  const change = (set: string, version: string, more: object = {}, spec: object = {}) =>
    world.patch(StatefulSet, set, { spec: { template: templateOf({ app: set }, spec, { version }), ...more } });
  const versionsOf = async (set: string) => {
    const names = await world.podsOf(set);
    return Promise.all(names.map(async (name) => (await world.pod(name))?.metadata.annotations?.version ?? "first"));
  };
  const gate = { schedulingGates: [{ name: hold }] };
  const openGate = (pod: string) => world.patch(Pod, pod, { spec: { schedulingGates: null } });
  const complete = (set: string) =>
    world.until(`the rollout of ${set} is complete`, async () => {
      const { metadata, status } = await world.set(set);
      const { currentRevision, updateRevision, observedGeneration } = status ?? {};
      return observedGeneration === metadata.generation && currentRevision === updateRevision;
    });

  it("replaces its pods from the highest ordinal down, one after the other, on the same claims", async () => {
    await world.createSet("roll", { replicas: 3 });
    await world.ready("roll", 3);
    const claims = await Promise.all([0, 1, 2].map((ordinal) => world.claim(`data-roll-${ordinal}`)));
    const { updateRevision: before } = (await world.set("roll")).status ?? {};
    await change("roll", "second", {}, gate);
    for (const [pod, versions] of [
      ["roll-2", ["first", "first", "second"]],
      ["roll-1", ["first", "second", "second"]],
      ["roll-0", ["second", "second", "second"]],
    ] as const) {
      await world.until(
        `${pod} is new`,
        async () => (await world.pod(pod))?.metadata.annotations?.version === "second",
      );
      await world.rest();
      expect(await versionsOf("roll")).toEqual(versions);
      if (pod === "roll-1") {
        const { status } = await world.set("roll");
        expect(status).toMatchObject({ currentRevision: before, currentReplicas: 1, updatedReplicas: 2 });
      }
      await openGate(pod);
    }
    await complete("roll");
    await world.ready("roll", 3);
    expect((await world.set("roll")).status).toMatchObject({ currentReplicas: 3, updatedReplicas: 3 });
    for (const [ordinal, claim] of claims.entries())
      expect((await world.claim(`data-roll-${ordinal}`))?.metadata.uid).toBe(claim?.metadata.uid);
  });

  it("leaves ordinals below the partition as they are, also when they are made again", async () => {
    await world.createSet("part", {
      replicas: 3,
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
    });
    await world.ready("part", 3);
    await change("part", "second");
    await world.until("the highest is new", async () => (await versionsOf("part")).join() === "first,first,second");
    await world.ready("part", 3);
    const { uid } = (await world.pod("part-1"))?.metadata ?? {};
    await world.delete(Pod, "part-1");
    await world.until("another is in its place", async () => {
      const now = (await world.pod("part-1"))?.metadata.uid;
      return now && now !== uid;
    });
    await world.ready("part", 3);
    expect(await versionsOf("part")).toEqual(["first", "first", "second"]);
    expect((await world.set("part")).status).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 });
    await world.patch(StatefulSet, "part", { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await complete("part");
    expect(await versionsOf("part")).toEqual(["second", "second", "second"]);
  });

  it("replaces nothing by itself under OnDelete", async () => {
    await world.createSet("wait", { replicas: 2, updateStrategy: { type: "OnDelete" } });
    await world.ready("wait", 2);
    await change("wait", "second");
    await world.until("the change is seen", async () => (await world.revisionsOf("wait")).length === 2);
    await world.rest();
    expect(await versionsOf("wait")).toEqual(["first", "first"]);
    await world.delete(Pod, "wait-0");
    await world.until("that one is new", async () => (await versionsOf("wait")).join() === "second,first");
  });

  it("goes back to an earlier revision when the template does", async () => {
    await world.createSet("back", { replicas: 1 });
    await world.ready("back", 1);
    const [first] = await world.revisionsOf("back");
    await change("back", "second");
    await complete("back");
    await world.patch(StatefulSet, "back", { spec: { template: { metadata: { annotations: { version: null } } } } });
    await world.until("a revision is the third", async () => (await world.revisionsOf("back")).at(-1)?.revision === 3);
    await complete("back");
    const revisions = await world.revisionsOf("back");
    expect(revisions.map(({ revision }) => revision)).toEqual([2, 3]);
    expect(revisions[1]?.metadata.uid).toBe(first?.metadata.uid);
    expect((await world.set("back")).status?.updateRevision).toBe(first?.metadata.name);
  });

  it("names its revisions by what is in them", async () => {
    await world.createSet("named", { replicas: 0 });
    await world.until("there is one", async () => (await world.revisionsOf("named")).length === 1);
    const [revision] = await world.revisionsOf("named");
    const hash = revision?.metadata.labels?.["controller.kubernetes.io/hash"];
    expect(hash).toMatch(/^[a-z0-9]{8,10}$/);
    expect(revision).toMatchObject({
      metadata: {
        name: `named-${hash}`,
        labels: { app: "named" },
        ownerReferences: [{ kind: "StatefulSet", name: "named", controller: true, blockOwnerDeletion: true }],
      },
      revision: 1,
      data: { spec: { template: { $patch: "replace", metadata: { labels: { app: "named" } } } } },
    });
  });
});
