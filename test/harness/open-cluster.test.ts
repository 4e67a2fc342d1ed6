import { expect, test } from "vitest";
import { scenarios } from "../scenarios/pvc-protection/scenarios.ts";
import { beside } from "../scenarios/pvc-protection/settings.ts";
import { openCluster } from "./open-cluster.ts";

test("a scenario repeats exactly from its seed", async () => {
  const scenario = scenarios.find(({ title }) => title === "a deleted namespace is removed with its pods and claims");
  const run = async (seed: number) => {
    const cluster = await openCluster(beside, { seed });
    if (!scenario) throw new Error("No scenario has this title.");
    await scenario.run(cluster);
    const { said, calls, deliveries } = cluster;
    return JSON.stringify([said, calls.map(({ rule, request: { signal: _, ...rest } }) => [rule, rest]), deliveries]);
  };
  const first = await run(7);
  expect(first.length).toBeGreaterThan(1000);
  expect(await run(7)).toBe(first);
  expect(await run(8)).not.toBe(first);
});
