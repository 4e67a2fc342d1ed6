import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { itemsOf } from "./list-items.ts";

async function* inPieces(text: string, cuts: readonly number[]) {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...places, text.length]) {
    yield text.slice(from, to);
    from = to;
  }
}

async function read(text: string, cuts: readonly number[] = []) {
  const given: unknown[] = [];
  const list = itemsOf<unknown>(inPieces(text, cuts), (item) => item);
  for (;;) {
    const next = await list.next();
    if (next.done) return { given, envelope: next.value };
    given.push(next.value);
  }
}

/** Strings and keys that could be taken for the structure around them. */
const tricky = fc.constantFrom("items", '"items":[', "\\", '\\"', "]", "}", "{", '"', "é", "\u2028", "");
const item = fc.dictionary(fc.oneof(tricky, fc.string()), fc.oneof(tricky, fc.jsonValue() as fc.Arbitrary<unknown>));
const cuts = fc.array(fc.nat());

describe("items of a list", () => {
  test("are those that JSON.parse finds, wherever the text is cut and whatever it contains", async () => {
    const list = fc.record({
      items: fc.array(item),
      metadata: item,
      first: fc.boolean(),
      spaces: fc.constantFrom(0, 2),
    });
    await fc.assert(
      fc.asyncProperty(list, cuts, async ({ items, metadata, first, spaces }, cuts) => {
        const head = { kind: "items", metadata, odd: [[{ items: [1] }]] };
        const text = JSON.stringify(first ? { items, ...head } : { ...head, items }, null, spaces);
        const expected = JSON.parse(text);
        const { given, envelope } = await read(text, cuts);
        expect(given).toEqual(expected.items);
        expect(envelope).toEqual({ ...expected, items: [] });
      }),
    );
  });

  test("may be absent or null", async () => {
    expect(await read('{"metadata":{}}')).toEqual({ given: [], envelope: { metadata: {} } });
    expect(await read('{"items":null,"metadata":{}}')).toEqual({ given: [], envelope: { items: null, metadata: {} } });
  });

  test("that come before the text ends too early are given out, then it throws", async () => {
    const text = '{"items":[{"a":1},{"b":2}],"metadata":{}}';
    for (let length = 0; length < text.length; length++)
      await expect(read(text.slice(0, length)), `cut after ${length}`).rejects.toThrow(SyntaxError);
  });

  test("are not waited for longer than they take to arrive", async () => {
    let pulled = 0;
    async function* pages() {
      for (const piece of ['{"items":[{"a":1},{"b', '":2}', '],"metadata":{}}']) {
        pulled++;
        yield piece;
      }
    }
    const list = itemsOf<unknown>(pages(), (item) => item);
    expect((await list.next()).value).toEqual({ a: 1 });
    expect(pulled).toBe(1);
    expect((await list.next()).value).toEqual({ b: 2 });
    expect(pulled).toBe(2);
  });
});
