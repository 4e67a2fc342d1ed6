import fc from "fast-check";
import { expect, test } from "vitest";
import { type Contender, slotOf } from "./slots.ts";

const contender = (name: string, since: number, inProgress = false): Contender => ({ name, since, inProgress });

test("those in progress come first, then the longest waiting, then by name", () => {
  const all = [contender("c", 1), contender("b", 5, true), contender("d", 9), contender("a", 9)];
  const places = ["b", "c", "a", "d"].map((name) => slotOf(name, all, 2));
  expect(places.map(({ position }) => position)).toEqual([1, 2, 3, 4]);
  expect(places.map(({ admitted }) => admitted)).toEqual([true, true, false, false]);
  expect(places[3]).toMatchObject({ of: 4, before: ["b", "c", "a"] });
});
test("0 is no limit, and who is not in the list comes last", () => {
  expect(slotOf("x", [contender("a", 1)], 0).admitted).toBe(true);
  expect(slotOf("x", [contender("a", 1)], 1)).toEqual({ position: 2, of: 2, before: ["a"], admitted: false });
});
test("with any order of the list, no more than the limit are admitted, and all come to the same answer", () => {
  const some = fc.uniqueArray(
    fc.record({ name: fc.string({ minLength: 1 }), since: fc.nat(3), inProgress: fc.boolean() }),
    {
      selector: ({ name }) => name,
    },
  );
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 5 }), (all, limit) => {
      const admitted = (list: readonly Contender[]) =>
        list
          .filter(({ name }) => slotOf(name, list, limit).admitted)
          .map(({ name }) => name)
          .sort();
      expect(admitted(all)).toHaveLength(Math.min(limit, all.length));
      expect(admitted(all.toReversed())).toEqual(admitted(all));
    }),
  );
});
