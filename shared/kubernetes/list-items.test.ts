import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readList } from "./list-items.ts";

function* inPieces(text: string, cuts: readonly number[]) {
  const bytes = Buffer.from(text);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...places, bytes.length]) {
    yield bytes.subarray(from, to);
    from = to;
  }
}

function read(text: string, cuts: readonly number[] = []) {
  const given: unknown[] = [];
  const list = readList<unknown>();
  for (const piece of inPieces(text, cuts)) {
    list.take(piece);
    for (let item = list.next(); item; item = list.next()) given.push(item);
  }
  return { given, envelope: list.end() };
}

/** Strings and keys that could be taken for the structure around them. */
const tricky = fc.constantFrom("items", '"items":[', "\\", '\\"', "]", "}", "{", '"', "é", "\u2028", "");
const item = fc.dictionary(fc.oneof(tricky, fc.string()), fc.oneof(tricky, fc.jsonValue() as fc.Arbitrary<unknown>));
const cuts = fc.array(fc.nat());

describe("items of a list", () => {
  test("are those that JSON.parse finds, wherever the text is cut and whatever it contains", () => {
    const list = fc.record({
      items: fc.array(item),
      metadata: item,
      first: fc.boolean(),
      spaces: fc.constantFrom(0, 2),
    });
    fc.assert(
      fc.property(list, cuts, ({ items, metadata, first, spaces }, cuts) => {
        const head = { kind: "items", metadata, odd: [[{ items: [1] }]] };
        const text = JSON.stringify(first ? { items, ...head } : { ...head, items }, null, spaces);
        const expected = JSON.parse(text);
        const { given, envelope } = read(text, cuts);
        expect(given).toEqual(expected.items);
        expect(envelope).toEqual({ ...expected, items: [] });
      }),
    );
  });

  test("may be absent or null", () => {
    expect(read('{"metadata":{}}')).toEqual({ given: [], envelope: { metadata: {} } });
    expect(read('{"items":null,"metadata":{}}')).toEqual({ given: [], envelope: { items: null, metadata: {} } });
  });

  test("that come before the text ends too early are given out, then it throws", () => {
    const text = '{"items":[{"a":1},{"b":2}],"metadata":{}}';
    for (let length = 0; length < text.length; length++)
      expect(() => read(text.slice(0, length)), `cut after ${length}`).toThrow(SyntaxError);
  });

  test("are not waited for longer than they take to arrive", () => {
    const list = readList<unknown>();
    list.take('{"items":[{"a":1},{"b');
    expect([list.next(), list.next()]).toEqual([{ a: 1 }, undefined]);
    list.take('":2}');
    expect([list.next(), list.next()]).toEqual([{ b: 2 }, undefined]);
    list.take('],"metadata":{}}');
    expect([list.next(), list.end()]).toEqual([undefined, { items: [], metadata: {} }]);
  });
});
