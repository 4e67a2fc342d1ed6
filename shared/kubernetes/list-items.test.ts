import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readLists } from "./list-items.ts";

function* inPieces(text: string, cuts: readonly number[]) {
  const bytes = Buffer.from(text);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...places, bytes.length]) {
    yield bytes.subarray(from, to);
    from = to;
  }
}

function read(text: string, cuts: readonly number[] = [], list = readLists<unknown>()) {
  const given: unknown[] = [];
  for (const piece of inPieces(text, cuts)) {
    list.take(piece);
    for (let item = list.next(); item; item = list.next()) given.push(item);
  }
  return { given, envelope: list.end() };
}

/** Strings and keys that could be taken for the structure around them. */
const tricky = fc.constantFrom("items", '"items":[', "\\", '\\"', "]", "}", "{", '"', "é", "\u2028", "");
/**
 * Without backslashes: after an object of the same form, JSON.parse of Node 24.21 takes the key that is an escaped
 * backslash for one that is an escaped quote, and then it is no measure.
 */
const key = fc.oneof(tricky, fc.string()).filter((key) => !key.includes("\\"));
const item = fc.dictionary(key, fc.oneof(tricky, fc.jsonValue() as fc.Arbitrary<unknown>));
const cuts = fc.array(fc.nat());

describe("items of a list", () => {
  test("are those that JSON.parse finds, in any text that is cut anywhere", () => {
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

  test("are read from list after list with one reader", () => {
    const page = fc.record({ items: fc.array(item, { maxLength: 3 }), metadata: item });
    fc.assert(
      fc.property(fc.array(fc.tuple(page, cuts), { minLength: 2, maxLength: 4 }), (pages) => {
        const reader = readLists<unknown>();
        for (const [page, cuts] of pages) {
          const { given, envelope } = read(JSON.stringify(page), cuts, reader);
          expect(given).toEqual(JSON.parse(JSON.stringify(page)).items);
          expect(envelope).toEqual({ ...JSON.parse(JSON.stringify(page)), items: [] });
        }
      }),
    );
  });

  test("have empty arrays at what is left out, and nothing else is changed", () => {
    const names = ["metadata", "managedFields", "spec", "containers", "other", "metad\u0061ta"];
    const name = fc.constantFrom(...names);
    const few = { maxLength: 3, maxKeys: 3 };
    const { anything } = fc.letrec<{ anything: unknown }>((tie) => ({
      anything: fc.oneof(
        { maxDepth: 4 },
        tricky,
        name,
        fc.constant(null),
        fc.array(tie("anything"), few),
        fc.dictionary(name, tie("anything"), few),
      ),
    }));
    const object = fc.dictionary(name, fc.oneof(anything, fc.dictionary(name, anything, few)), few);
    const emptied = (item: Record<string, unknown>) => {
      const { metadata, spec } = item as Record<string, Record<string, unknown> | undefined>;
      for (const [parent, child] of [
        [metadata, "managedFields"],
        [spec, "containers"],
      ] as const) {
        if (isObject(parent) && Array.isArray(parent[child])) parent[child] = [];
      }
      return item;
    };
    const isObject = (value: unknown): value is Record<string, unknown> =>
      typeof value === "object" && value !== null && !Array.isArray(value);
    fc.assert(
      fc.property(fc.array(object, few), cuts, fc.constantFrom(0, 2), (items, cuts, spaces) => {
        const reader = readLists<unknown>(["metadata.managedFields", "spec.containers"]);
        const text = JSON.stringify({ items, metadata: { managedFields: [1] } }, null, spaces);
        const { given, envelope } = read(text, cuts, reader);
        expect(given).toEqual(JSON.parse(JSON.stringify(items)).map(emptied));
        expect(envelope).toEqual({ items: [], metadata: { managedFields: [1] } });
      }),
      { numRuns: 500 },
    );
  });

  test("cannot be left out by paths that are none", () => {
    for (const path of ["metadata", "spec.containers.env", "", ".spec"])
      expect(() => readLists([path]), path).toThrow("is no path of two names");
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
    const list = readLists<unknown>();
    list.take('{"items":[{"a":1},{"b');
    expect([list.next(), list.next()]).toEqual([{ a: 1 }, undefined]);
    list.take('":2}');
    expect([list.next(), list.next()]).toEqual([{ b: 2 }, undefined]);
    list.take('],"metadata":{}}');
    expect([list.next(), list.end()]).toEqual([undefined, { items: [], metadata: {} }]);
  });
});
