import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mapConcurrently } from "./map-concurrently.ts";

test("results are in the order of the items, and no more items than allowed are in work at once", async () => {
  const turns = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(turns, fc.integer({ min: 1, max: 12 }), async (turns, atOnce) => {
      let [working, most] = [0, 0];
      const results = await mapConcurrently(
        [...turns.entries()],
        async ([index, wait]) => {
          most = Math.max(most, ++working);
          for (let turn = 0; turn < wait; turn++) await setImmediate();
          working--;
          return index;
        },
        atOnce,
      );
      expect(results).toEqual(turns.map((_, index) => index));
      expect(most).toBe(Math.min(atOnce, turns.length));
    }),
    { numRuns: 30 },
  );
});

test("after a failure it begins with no further item", async () => {
  const begun: number[] = [];
  const work = async (item: number) => {
    begun.push(item);
    await setImmediate();
    if (item === 1) throw new Error("refused");
  };
  await expect(mapConcurrently([0, 1, 2, 3, 4, 5, 6, 7], work, 2)).rejects.toThrow("refused");
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(begun.length).toBeLessThanOrEqual(4);
});
