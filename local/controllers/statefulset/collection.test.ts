import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { openSetWorld, referenceTo, type SetWorld } from "./testing/sets.ts";

// Under Retain and Retain the controller leaves references of others alone until something of the set changes.
describe("the garbage collector and what belongs to a StatefulSet", () => {
  let world: SetWorld;
  beforeAll(async () => {
    world = await openSetWorld();
  });
  afterAll(() => world.close());

  const own = (claim: string, ...ownerReferences: object[]) =>
    world.patch(PersistentVolumeClaim, claim, { metadata: { ownerReferences } });
  async function standing(name: string): Promise<{ set: KubernetesObject; pod: KubernetesObject }> {
    const set = await world.createSet(name);
    await world.ready(name, 1);
    const pod = await world.pod(`${name}-0`);
    if (!pod) throw new Error(`There is no pod ${name}-0.`);
    return { set, pod };
  }

  it("in the background the set goes at once, its pods, claims and revisions after it", async () => {
    const { set } = await standing("back");
    await world.keep(Pod, "back-0");
    await world.rest();
    await own("data-back-0", referenceTo(set));
    await world.delete(StatefulSet, "back", { propagationPolicy: "Background" });
    await world.gone(StatefulSet, "back");
    await world.dying(Pod, "back-0");
    await world.dying(PersistentVolumeClaim, "data-back-0");
    await world.letGo(Pod, "back-0");
    await world.gone(PersistentVolumeClaim, "data-back-0");
    await world.until("its revisions are gone", async () => (await world.revisionsOf("back")).length === 0);
  });

  it("in the foreground the set waits for what blocks it", async () => {
    const { set } = await standing("front");
    await own("data-front-0", referenceTo(set, { blockOwnerDeletion: true }));
    await world.keep(PersistentVolumeClaim, "data-front-0");
    await world.delete(StatefulSet, "front", { propagationPolicy: "Foreground" });
    await world.gone(Pod, "front-0");
    await world.dying(PersistentVolumeClaim, "data-front-0");
    await world.rest();
    expect((await world.set("front")).metadata.finalizers).toEqual(["foregroundDeletion"]);
    await world.letGo(PersistentVolumeClaim, "data-front-0");
    await world.gone(StatefulSet, "front");
  });

  it("a claim that a pod and its set own goes with the later of the two", async () => {
    const { set, pod } = await standing("both");
    await world.keep(StatefulSet, "both");
    await world.delete(StatefulSet, "both");
    await world.dying(StatefulSet, "both");
    await own("data-both-0", referenceTo(pod), referenceTo(set));
    await world.delete(Pod, "both-0");
    await world.until(
      "only the set owns it",
      async () => (await world.ownersOf("data-both-0")).join() === "StatefulSet both",
    );
    expect((await world.claim("data-both-0"))?.metadata.deletionTimestamp).toBeUndefined();
    await world.letGo(StatefulSet, "both");
    await world.gone(PersistentVolumeClaim, "data-both-0");
  });

  it("a claim goes whose owner is an earlier set of the same name", async () => {
    const { set } = await standing("again");
    await own("data-again-0", { ...referenceTo(set), uid: "3e5f8e2c-9b6f-4f3a-9d0a-0c8f5f6a7b21" });
    await world.dying(PersistentVolumeClaim, "data-again-0");
    expect((await world.set("again")).metadata.deletionTimestamp).toBeUndefined();
  });

  it("a claim stays when its reference to the set is taken off before the set goes", async () => {
    const { set } = await standing("saved");
    await world.keep(StatefulSet, "saved");
    await world.delete(StatefulSet, "saved");
    await world.dying(StatefulSet, "saved");
    await own("data-saved-0", referenceTo(set));
    await own("data-saved-0");
    await world.letGo(StatefulSet, "saved");
    await world.gone(Pod, "saved-0");
    await world.rest();
    expect((await world.claim("data-saved-0"))?.metadata.deletionTimestamp).toBeUndefined();
  });
});
