import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { openSetWorld, referenceTo, type SetWorld } from "./testing/sets.ts";

// No control plane of today can be told to be that old.
describe.skipIf(process.env.HOLDFAST_CONTROLLERS === "theirs")("StatefulSets before there was retention", () => {
  let world: SetWorld;
  beforeAll(async () => {
    world = await openSetWorld({ statefulSets: { retention: false } });
  });
  afterAll(() => world.close());

  it("keep their claims whatever they say, and leave owner references to others", async () => {
    const set = await world.createSet("old", {
      replicas: 2,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
    });
    await world.ready("old", 2);
    expect(await world.ownersOf("data-old-0")).toEqual([]);
    const ownerReferences = [referenceTo(set)];
    await world.patch(PersistentVolumeClaim, "data-old-0", { metadata: { ownerReferences } });
    await world.scale("old", 1);
    await world.gone(Pod, "old-1");
    await world.rest();
    expect(await world.ownersOf("data-old-0")).toEqual(["StatefulSet old"]);
    expect(await world.claim("data-old-1")).toBeDefined();

    await world.delete(StatefulSet, "old");
    await world.gone(PersistentVolumeClaim, "data-old-0");
    await world.rest();
    expect(await world.claim("data-old-1")).toBeDefined();
  });
});
