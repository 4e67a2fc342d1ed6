import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { largestBody, readBody } from "./read-body.ts";

/** A request whose body comes in these pieces, each in a turn of its own. */
const arriving = (pieces: Iterable<Buffer> | AsyncIterable<Buffer>) =>
  readBody(Readable.from(pieces, { objectMode: false }) as IncomingMessage);

/** Cuts a text between bytes, not characters. */
function cut(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

test("a body is read as it was sent, however it was cut", async () => {
  const text = fc.string({ unit: "binary", maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (text, size) => {
      expect(await arriving(cut(text, size))).toBe(text);
    }),
  );
});

test("a body is too long from one byte above the limit on, however it was cut", async () => {
  const excess = fc.integer({ min: -3, max: 2_000_000 });
  await fc.assert(
    fc.asyncProperty(excess, fc.integer({ min: 50_000, max: 6_000_000 }), async (excess, size) => {
      const body = await arriving(cut("x".repeat(largestBody + excess), size));
      expect(body?.length).toBe(excess > 0 ? undefined : largestBody + excess);
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
