import { expect, test } from "vitest";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import { bareNode } from "../../worlds/cluster-objects.ts";
import { emulatedWorld } from "../../worlds/emulated-world.ts";
import { pod } from "../../worlds/manifest.ts";
import type { World } from "../../worlds/world.ts";
import { claimName, claimOf, dataGoes, dataOf, deletePod, deleteSet, podIsGone, runningSet, scale } from "./helpers.ts";
import { watchInvariants } from "./invariants.ts";
import { onDeletion } from "./policies.ts";
import { byDefault } from "./settings.ts";

async function violationsOf(run: (world: World) => Promise<void>): Promise<unknown> {
  const world = await emulatedWorld(byDefault);
  const invariants = watchInvariants(world);
  await run(world);
  return invariants.check().then(
    () => [],
    ({ actual }) => actual,
  );
}

const deleteClaim = ({ admin, namespace }: World, ordinal: number) =>
  admin.delete(PersistentVolumeClaim, namespace, claimName(ordinal));

test("claims that go although they are to stay are found: scaled away, wanted, and of a set that is gone", async () => {
  const found = await violationsOf(async (world) => {
    await runningSet(world, { policy: "Retain", replicas: 3 });
    const data = await dataOf(world, [0, 1, 2]);
    await scale(world, 2);
    await podIsGone(world, 2);
    await deleteClaim(world, 2);
    await deleteClaim(world, 1);
    await deletePod(world, 1);
    await dataGoes(world, [1, 2], data.slice(1));
    await deleteSet(world);
    await podIsGone(world, 0);
    await deleteClaim(world, 0);
    await dataGoes(world, [0], data);
  });
  expect(found).toEqual([
    "Claim data-web-2 went, although whenScaled is Retain.",
    "Claim data-web-1 went, although the set wants it.",
    "Claim data-web-0 went, although whenDeleted is Retain.",
  ]);
});

test("a pod that runs with a claim that was being deleted when it came is found", async () => {
  const found = await violationsOf(async (world) => {
    const { admin, namespace } = world;
    await runningSet(world, { policy: onDeletion, replicas: 1 });
    await deleteClaim(world, 0);
    expect((await claimOf(world, 0))?.metadata.deletionTimestamp).toBeDefined();
    await admin.create(Pod, pod({ namespace, name: "late" }, [claimName(0)], { nodeName: bareNode }));
    await admin.patch(Pod, namespace, "late", "merge", { status: { phase: "Running" } }, { subresource: "status" });
  });
  expect(found).toEqual([
    "Claim data-web-0 went, although the set wants it.",
    "Pod late mounts claim data-web-0, which is being deleted.",
  ]);
});
