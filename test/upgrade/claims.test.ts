import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Pod } from "../../shared/kubernetes/kind.ts";
import {
  claimGoes,
  claimIsHeld,
  claimOf,
  createPod,
  deleteClaim,
  protectedClaim,
  removePod,
} from "../scenarios/pvc-protection/helpers.ts";
import { bareNode } from "../worlds/cluster-objects.ts";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import type { Setting, World, WorldRelease } from "../worlds/world.ts";
import { loadPrevious, previousCommit } from "./previous-release.ts";

const setting: Setting = {
  name: "beside Kubernetes' own protection",
  inTree: true,
  environment: {},
  components: ["pvc-protection/admission-policy"],
};

describe.skipIf(!previousCommit)("in the middle of the release of a claim", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-previous-"));
  let previous: WorldRelease;
  beforeAll(async () => {
    previous = await loadPrevious(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function open(first?: WorldRelease): Promise<World> {
    const world = await emulatedWorld(first ? { ...setting, release: first } : setting);
    onTestFinished(() => (world as World & { stop(): Promise<void> }).stop());
    return world;
  }

  async function heldClaim(world: World, name: string): Promise<void> {
    await protectedClaim(world, name);
    await createPod(world, `${name}-user`, [name], bareNode);
    await deleteClaim(world, name);
    await claimIsHeld(world, name);
  }

  test.each<[string, "previous" | "present"]>([
    ["an upgrade", "previous"],
    ["the way back", "present"],
  ])("%s leaves a held claim held, and lets it go with its pod", async (_, first) => {
    const [before, after] = first === "previous" ? [previous, undefined] : [undefined, previous];
    const world = await open(before);
    await heldClaim(world, "data");
    await world.upgrade?.(after);
    await world.rest();
    await world.sweep();
    expect(await claimOf(world, "data")).toBeDefined();
    // What is new is looked after by the release that came.
    await heldClaim(world, "later");
    for (const name of ["data", "later"]) {
      await removePod(world, `${name}-user`);
      await claimGoes(world, name);
    }
    expect(await world.admin.get(Pod, world.namespace, "data-user")).toBeUndefined();
    expect(world.asked.filter(({ denied }) => denied)).toEqual([]);
  });

  test("an upgrade and the way back, each before the pod of a claim goes, lose nothing", async () => {
    const world = await open(previous);
    for (const [name, release] of [
      ["a", undefined],
      ["b", previous],
      ["c", undefined],
    ] as const) {
      await heldClaim(world, name);
      await world.upgrade?.(release);
    }
    await world.sweep();
    for (const name of ["a", "b", "c"]) expect(await claimOf(world, name), name).toBeDefined();
    for (const name of ["a", "b", "c"]) await removePod(world, `${name}-user`);
    for (const name of ["a", "b", "c"]) await claimGoes(world, name);
    expect(world.asked.filter(({ denied }) => denied)).toEqual([]);
  });
});
