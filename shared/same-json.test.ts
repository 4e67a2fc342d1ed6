import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sameJson } from "./same-json.ts";

test("two JSON values are the same wherever Node's own comparison says so", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(sameJson(one, other)).toBe(isDeepStrictEqual(one, other));
      expect(sameJson(one, structuredClone(one))).toBe(true);
    }),
  );
});

test.each([
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, false],
  [{ a: undefined }, { b: undefined }, false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [null, {}, false],
  ["1", 1, false],
])("%j and %j: %s", (one, other, same) => expect(sameJson(one, other)).toBe(same));
