import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { createPod } from "../testing/world.ts";
import { openSetWorld, type SetWorld } from "./testing/sets.ts";

describe("whose a pod is", () => {
  let world: SetWorld;
  beforeAll(async () => {
    world = await openSetWorld();
  });
  afterAll(() => world.close());

  const controllerOf = async (pod: string) =>
    (await world.pod(pod))?.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;

  it("a set takes in a pod without a controller, with its labels and one of its names", async () => {
    const set = await world.createSet("adopt", { replicas: 1 });
    await world.ready("adopt", 1);
    const { uid } = (await world.pod("adopt-0"))?.metadata ?? {};
    await world.patch(Pod, "adopt-0", { metadata: { ownerReferences: null } });
    await world.until("it is back", async () => (await controllerOf("adopt-0")) === set.metadata.uid);
    expect((await world.pod("adopt-0"))?.metadata.uid).toBe(uid);
  });

  it("a pod with a name that is none of the set's is left alone", async () => {
    await createPod(world, "misnamed-a", [], {}, { labels: { app: "misnamed" } });
    await world.createSet("misnamed", { replicas: 1 });
    await world.ready("misnamed", 1);
    await world.rest();
    expect(await controllerOf("misnamed-a")).toBeUndefined();
    expect(await world.podsOf("misnamed")).toEqual(["misnamed-0", "misnamed-a"]);
    await world.delete(Pod, "misnamed-a");
  });

  it("a pod that loses the set's labels is let go, and its place stays taken until it is gone", async () => {
    const set = await world.createSet("leave", { replicas: 1 });
    await world.ready("leave", 1);
    const { uid } = (await world.pod("leave-0"))?.metadata ?? {};
    await world.patch(Pod, "leave-0", { metadata: { labels: { app: "another" } } });
    await world.until("it has no controller", async () => (await controllerOf("leave-0")) === undefined);
    await world.rest();
    expect((await world.pod("leave-0"))?.metadata.uid).toBe(uid);
    await world.delete(Pod, "leave-0");
    await world.until("the set has its own", async () => (await controllerOf("leave-0")) === set.metadata.uid);
    expect((await world.pod("leave-0"))?.metadata.uid).not.toBe(uid);
  });

  it("a set that is being deleted neither makes pods nor takes them in, and still counts them", async () => {
    await world.createSet("dying", { replicas: 2 });
    await world.ready("dying", 2);
    await world.keep(StatefulSet, "dying");
    await world.delete(StatefulSet, "dying");
    await world.dying(StatefulSet, "dying");
    await world.delete(Pod, "dying-0");
    await world.patch(Pod, "dying-1", { metadata: { ownerReferences: null } });
    await world.until("it counts none", async () => (await world.set("dying")).status?.replicas === 0);
    await world.scale("dying", 3);
    await world.rest();
    expect(await world.podsOf("dying")).toEqual(["dying-1"]);
    expect(await controllerOf("dying-1")).toBeUndefined();
    const { metadata, status } = await world.set("dying");
    expect(status?.observedGeneration).toBe(metadata.generation);
    await world.letGo(StatefulSet, "dying");
    await world.gone(StatefulSet, "dying");
    await world.delete(Pod, "dying-1");
  });

  it("pods outlive a set that is deleted with orphans, and the next set of that name has them", async () => {
    const before = await world.createSet("heir", { replicas: 2 });
    await world.ready("heir", 2);
    const { uid } = (await world.pod("heir-0"))?.metadata ?? {};
    await world.delete(StatefulSet, "heir", { propagationPolicy: "Orphan" });
    await world.gone(StatefulSet, "heir");
    expect(await world.podsOf("heir")).toEqual(["heir-0", "heir-1"]);
    expect(await controllerOf("heir-0")).toBeUndefined();
    const after = await world.createSet("heir", { replicas: 2 });
    await world.until("they are the new set's", async () => (await controllerOf("heir-0")) === after.metadata.uid);
    await world.ready("heir", 2);
    expect((await world.pod("heir-0"))?.metadata.uid).toBe(uid);
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(await world.revisionsOf("heir")).toHaveLength(1);
  });
});
