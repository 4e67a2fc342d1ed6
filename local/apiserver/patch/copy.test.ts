import fc from "fast-check";
import { expect, test } from "vitest";
import { copyOf } from "./copy.ts";

test("a copy of any JSON is equal to it, with any names of members", () => {
  const member = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString"));
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.double({ noNaN: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("json")),
      fc.dictionary(member, tie("json")),
    ),
  }));
  fc.assert(fc.property(json, (value) => JSON.stringify(copyOf(value)) === JSON.stringify(value)));
});

test("a copy shares nothing with what it was made of, and is not frozen as that is", () => {
  const original = Object.freeze({ list: Object.freeze([Object.freeze({ a: 1 })]) });
  const copy = copyOf(original) as unknown as { list: { a: number }[] };
  copy.list[0] = { a: 2 };
  copy.list.push({ a: 3 });
  expect(original).toEqual({ list: [{ a: 1 }] });
});
