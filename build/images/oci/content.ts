import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { type Descriptor, digestOf } from "./descriptor.ts";

/** Content and its descriptor. It is opened when it is needed, more than once if need be. */
export interface Content {
  readonly descriptor: Descriptor;
  /** Its bytes from `start` up to `end` (exclusive); all of them by default. */
  open(start?: number, end?: number): Promise<Readable>;
}

/** Bytes as content; `more` adds to the descriptor. */
export function contentOf(bytes: Buffer, mediaType: string, more: Partial<Descriptor> = {}): Content {
  return {
    descriptor: { mediaType, digest: digestOf(bytes), size: bytes.length, ...more },
    async open(start = 0, end = bytes.length) {
      return Readable.from([bytes.subarray(start, end)]);
    },
  };
}

/**
 * A value as JSON content. Keys stay in the order that they have, so that the same value always gives the same digest.
 */
export function jsonContent(value: object, mediaType: string, more: Partial<Descriptor> = {}): Content {
  return contentOf(Buffer.from(JSON.stringify(value)), mediaType, more);
}

/** A file as content. What the descriptor says must be true of it. */
export function fileContent(file: string, descriptor: Descriptor): Content {
  return {
    descriptor,
    async open(start = 0, end = descriptor.size) {
      // An empty range cannot be said in the inclusive terms of Node.
      return end > start ? createReadStream(file, { start, end: end - 1 }) : Readable.from([]);
    },
  };
}

/** All of it, in memory. */
export async function bytesOf(content: Content): Promise<Buffer> {
  return Buffer.concat(await (await content.open()).toArray());
}
