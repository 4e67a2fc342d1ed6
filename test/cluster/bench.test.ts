import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareLatencies } from "../../bench/latency/compare.ts";
import type { Passage } from "../../bench/latency/measure.ts";
import { bootPlane, type Plane } from "../../bench/plane/boot.ts";
import { compareReleases } from "../../bench/release/compare.ts";
import { ownCluster } from "./own-cluster.ts";

// The suite's own control plane has controllers at work, which would be measured with the benchmarks: they boot one of
// theirs.
const assets = ownCluster?.assets;
const print = () => {};

describe.skipIf(!assets)("the benchmarks on a control plane, in small", () => {
  let plane: Plane;
  beforeAll(async () => {
    const booted = await bootPlane(assets);
    if (!booted) throw new Error("A control plane was expected.");
    plane = booted;
  });
  afterAll(() => plane?.stop());

  test("release: both let every claim go, and what that took is measured", async () => {
    const comparison = { claims: 20, pods: 50, variants: [true], withDefaultLimit: false, print };
    const variants = await Array.fromAsync(compareReleases(plane, comparison));
    expect(variants).toHaveLength(1);
    const releases = new Map(variants[0]?.releases);
    expect([...releases.keys()].at(-1)).toBe("Holdfast");
    for (const [arm, release] of releases) {
      expect(release.delays, arm).toHaveLength(20);
      expect(release.wall, arm).toBeGreaterThan(0);
      expect(release.wall, arm).toBeGreaterThanOrEqual(release.deletions / 2);
      // A page of 50 pods, or 20 claims patched one by one, are more than this; a gigabyte would be of another program.
      expect(release.bytes, arm).toBeGreaterThan(20_000);
      expect(release.bytes, arm).toBeLessThan(1e8);
      expect(release.cpu, arm).toBeGreaterThanOrEqual(10);
      expect(release.lists, arm).toBeGreaterThanOrEqual(1);
      expect(release.peak, arm).toBeGreaterThan(1e7);
    }
    const ours = releases.get("Holdfast");
    expect(ours?.holding?.bytes).toBeGreaterThan(0);
    expect(ours?.ownBytes).toBeLessThan(ours?.bytes ?? 0);
    expect(ours?.besides).toBeGreaterThanOrEqual(0);
  });

  test("latency: every claim is patched by both, and the function's way has its steps in order", async () => {
    const { informer, holdfast } = await compareLatencies(plane, { single: 10, burst: 10, print });
    const kinds = (passages: readonly Passage[]) => Object.groupBy(passages, ({ kind }) => kind);
    for (const passages of [informer, holdfast]) {
      expect(kinds(passages)).toMatchObject({ single: { length: 10 }, burst: { length: 10 } });
      for (const { woken, patched } of passages) expect(patched).toBeGreaterThan(woken);
    }
    const single = kinds(holdfast).single ?? [];
    for (const { hops } of single) {
      const { emitted = 0, matched = 0, delivered = 0 } = hops;
      expect(emitted).toBeGreaterThan(0);
      expect(matched).toBeGreaterThanOrEqual(emitted);
      expect(delivered).toBeGreaterThan(matched);
    }
    // A live read and a patch, and the answer to each, over one connection. On a busy machine, pieces of other calls
    // may pass in between.
    expect(single.filter(({ calls }) => calls.length === 4).length).toBeGreaterThan(1);
  });
});
