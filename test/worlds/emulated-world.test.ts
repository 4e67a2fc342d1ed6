import { expect, test } from "vitest";
import { beside } from "../scenarios/pvc-protection/settings.ts";
import { stories } from "../scenarios/pvc-protection/stories.ts";
import { emulatedWorld } from "./emulated-world.ts";

test("a story repeats exactly from its seed", async () => {
  const story = stories.find(({ title }) => title === "events in another order change nothing");
  const tell = async (seed: number) => {
    const world = await emulatedWorld(beside, { seed });
    await story?.tell(world);
    const { said, calls, deliveries } = world;
    return JSON.stringify([said, calls.map(({ rule, request: { signal: _, ...rest } }) => [rule, rest]), deliveries]);
  };
  const first = await tell(7);
  expect(first.length).toBeGreaterThan(1000);
  expect(await tell(7)).toBe(first);
  expect(await tell(8)).not.toBe(first);
});
