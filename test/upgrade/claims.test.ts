import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Pod } from "../../shared/kubernetes/kind.ts";
import type { Cluster, OtherRelease, Setting } from "../harness/cluster.ts";
import { bareNode } from "../harness/cluster-objects.ts";
import { openCluster } from "../harness/open-cluster.ts";
import {
  claimGoes,
  claimIsHeld,
  claimOf,
  createPod,
  deleteClaim,
  protectedClaim,
  removePod,
} from "../scenarios/pvc-protection/helpers.ts";
import { loadPrevious, previousCommit } from "./previous-release.ts";

const setting: Setting = {
  name: "beside Kubernetes' own protection",
  inTree: true,
  environment: {},
  components: ["pvc-protection/admission-policy"],
};

describe.skipIf(!previousCommit)("in the middle of the release of a claim", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-previous-"));
  let previous: OtherRelease;
  beforeAll(async () => {
    previous = await loadPrevious(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function open(first?: OtherRelease): Promise<Cluster> {
    const cluster = await openCluster(first ? { ...setting, release: first } : setting);
    onTestFinished(() => (cluster as Cluster & { stop(): Promise<void> }).stop());
    return cluster;
  }

  async function heldClaim(cluster: Cluster, name: string): Promise<void> {
    await protectedClaim(cluster, name);
    await createPod(cluster, `${name}-user`, [name], bareNode);
    await deleteClaim(cluster, name);
    await claimIsHeld(cluster, name);
  }

  test.each<[string, "previous" | "present"]>([
    ["an upgrade", "previous"],
    ["the way back", "present"],
  ])("%s leaves a held claim held, and lets it go with its pod", async (_, first) => {
    const [before, after] = first === "previous" ? [previous, undefined] : [undefined, previous];
    const cluster = await open(before);
    await heldClaim(cluster, "data");
    await cluster.upgrade?.(after);
    await cluster.rest();
    await cluster.sweep();
    expect(await claimOf(cluster, "data")).toBeDefined();
    // What is new is looked after by the release that came.
    await heldClaim(cluster, "later");
    for (const name of ["data", "later"]) {
      await removePod(cluster, `${name}-user`);
      await claimGoes(cluster, name);
    }
    expect(await cluster.admin.get(Pod, cluster.namespace, "data-user")).toBeUndefined();
    expect(cluster.asked.filter(({ denied }) => denied)).toEqual([]);
  });

  test("an upgrade and the way back, each before the pod of a claim goes, lose nothing", async () => {
    const cluster = await open(previous);
    for (const [name, release] of [
      ["a", undefined],
      ["b", previous],
      ["c", undefined],
    ] as const) {
      await heldClaim(cluster, name);
      await cluster.upgrade?.(release);
    }
    await cluster.sweep();
    for (const name of ["a", "b", "c"]) expect(await claimOf(cluster, name), name).toBeDefined();
    for (const name of ["a", "b", "c"]) await removePod(cluster, `${name}-user`);
    for (const name of ["a", "b", "c"]) await claimGoes(cluster, name);
    expect(cluster.asked.filter(({ denied }) => denied)).toEqual([]);
  });
});
