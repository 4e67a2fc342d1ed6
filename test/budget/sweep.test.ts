import { afterAll, beforeAll, expect, test } from "vitest";
import { type Bundle, bundleFor } from "../../bench/budget/bundle.ts";
import type { Running } from "../../bench/process/program.ts";
import { median } from "../../bench/statistics.ts";
import { measureTick, startClusters } from "../../bench/sweep/measure.ts";

const few = 1_000;
const many = 20_000;

let bundle: Bundle;
let clusters: Running;
beforeAll(async () => {
  bundle = await bundleFor("platform/sweep");
  clusters = await startClusters();
});
afterAll(async () => {
  await clusters.kill();
  await bundle.remove();
});

test("a tick reads every claim once, as metadata, and gives those that are not protected an event", async () => {
  const { pages, json, events } = await measureTick(bundle, clusters, many);
  expect(pages).toBe(many / 500);
  expect(json / many).toBeLessThan(1_500);
  expect(events).toBe(Math.ceil(many / 60));
});

test("memory grows little with the claims of a cluster, and much less than they do", async () => {
  const ratios: number[] = [];
  // A busy machine may spoil a measurement, but not most of them.
  for (let round = 0; round < 3; round++) {
    const small = await measureTick(bundle, clusters, few);
    const large = await measureTick(bundle, clusters, many);
    ratios.push(large.peak / small.peak);
  }
  expect(median(ratios)).toBeLessThanOrEqual(1.15);
});
