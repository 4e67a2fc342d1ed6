import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { PassThrough, Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Body, createBodyReader, largestBody } from "./read-body.ts";

/** A request whose body comes in these pieces, each in a turn of its own. */
const arriving = (pieces: Iterable<Buffer> | AsyncIterable<Buffer>, readBody = createBodyReader()) =>
  readBody(Object.assign(Readable.from(pieces, { objectMode: false }), { headers: {} }) as IncomingMessage);

const textOf = (body: Body) => (body.refused ? body.refused : body.take());

/** Cuts a text between bytes, not characters. */
function cut(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

test("a body is read as it was sent, however it was cut", async () => {
  const text = fc.string({ unit: "binary", maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (text, size) => {
      expect(textOf(await arriving(cut(text, size)))).toBe(text);
    }),
  );
});

test("a body is too long from one byte above the limit on, however it was cut", async () => {
  const excess = fc.integer({ min: -3, max: 2_000_000 });
  await fc.assert(
    fc.asyncProperty(excess, fc.integer({ min: 50_000, max: 6_000_000 }), async (excess, size) => {
      const body = await arriving(cut("x".repeat(largestBody + excess), size));
      if (excess > 0) expect(body).toEqual({ refused: "too long" });
      else expect(textOf(body)).toHaveLength(largestBody + excess);
    }),
    { numRuns: 30 },
  );
});

test("a sender that goes away in the middle fails the reader", async () => {
  async function* half() {
    yield Buffer.from("half");
    throw new Error("aborted");
  }
  await expect(arriving(half())).rejects.toThrow("aborted");
});

test("chunks are not kept, because each takes far more memory than it counts", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const request = Object.assign(new EventEmitter(), { headers: {} });
  const body = createBodyReader()(request as unknown as IncomingMessage);
  const chunks = Array.from({ length: 1000 }, () => {
    const chunk = Buffer.alloc(1, "x");
    request.emit("data", chunk);
    return new WeakRef(chunk);
  });
  await setImmediate();
  collectGarbage();
  expect(chunks.filter((chunk) => chunk.deref()).length).toBeLessThan(10);
  request.emit("end");
  expect(textOf(await body)).toBe("x".repeat(1000));
});

describe("where bodies hold more than the budget together", () => {
  /** Bodies that arrive when the test says so. */
  function openReader(budget: number) {
    const readBody = createBodyReader(budget);
    return (headers = {}) => {
      const request = Object.assign(new PassThrough(), { headers });
      return { request, body: readBody(request as unknown as IncomingMessage) };
    };
  }
  const lengthOf = (body: Body) => (body.refused ? body : body.take().length);

  test("the longest of those that still arrive is refused, and a small one is read", async () => {
    const open = openReader(1000);
    const [large, larger, small] = [open(), open(), open()];
    large.request.write("x".repeat(400));
    larger.request.write("x".repeat(500));
    await setImmediate();
    small.request.end("x".repeat(200));
    expect(await larger.body).toEqual({ refused: "too many at once" });
    expect(lengthOf(await small.body)).toBe(200);
    large.request.end();
    expect(lengthOf(await large.body)).toBe(400);
  });

  test("a body counts until it is taken, or until its sender goes away", async () => {
    const open = openReader(1000);
    const first = open();
    first.request.end("x".repeat(900));
    const read = await first.body;
    const second = open();
    second.request.end("x".repeat(200));
    expect(await second.body).toEqual({ refused: "too many at once" });
    expect(lengthOf(read)).toBe(900);
    const third = open();
    third.request.write("x".repeat(900));
    await setImmediate();
    third.request.destroy(new Error("aborted"));
    await expect(third.body).rejects.toThrow("aborted");
    const fourth = open();
    fourth.request.end("x".repeat(900));
    expect(lengthOf(await fourth.body)).toBe(900);
  });

  test("a body counts with the memory that is set aside for it: no more than the sender says", async () => {
    const open = openReader(1000);
    const [doubling, declared] = [open(), open({ "content-length": "600" })];
    doubling.request.write("x".repeat(300));
    await setImmediate();
    doubling.request.end("x".repeat(300));
    expect(await doubling.body).toEqual({ refused: "too many at once" });
    declared.request.write("x".repeat(300));
    await setImmediate();
    declared.request.end("x".repeat(300));
    expect(lengthOf(await declared.body)).toBe(600);
  });
});
