import { createHash } from "node:crypto";

type Range = readonly [number, number];

/** What a program for macOS says of itself. Ranges are of bytes in the file, the end not included. */
export interface MachO {
  /** 0x0100000c: arm64. */
  readonly processor: number;
  readonly segments: ReadonlyMap<string, Range>;
  readonly signature: Range;
}

/** Reads the load commands of a Mach-O program of 64 bits. @throws Error where it is none, or has no signature */
export function readMachO(file: Buffer): MachO {
  if (file.readUInt32LE(0) !== 0xfeedfacf) throw new Error("This is no Mach-O program of 64 bits.");
  const segments = new Map<string, Range>();
  let signature: Range | undefined;
  for (let at = 32, left = file.readUInt32LE(16); left > 0; left--, at += file.readUInt32LE(at + 4)) {
    const command = file.readUInt32LE(at);
    const [start, size] =
      command === 0x19
        ? [40, 48].map((offset) => Number(file.readBigUInt64LE(at + offset)))
        : [8, 12].map((offset) => file.readUInt32LE(at + offset));
    const range: Range = [start as number, (start as number) + (size as number)];
    if (command === 0x19) segments.set(file.toString("latin1", at + 8, at + 24).replace(/\0.*/, ""), range);
    if (command === 0x1d) signature = range;
  }
  if (!signature) throw new Error("This program has no signature.");
  return { processor: file.readUInt32LE(4), segments, signature };
}

/**
 * What a signature says: the name of the program, how many bytes it is about, and the pages whose hash it has wrong. It
 * finds none in Node as its project has signed it with Apple's own tool.
 */
export function readSignature(
  file: Buffer,
  [start, end]: Range,
): { readonly name: string; readonly covered: number; readonly wrong: readonly number[] } {
  const blobs = file.subarray(start, end);
  const entries = [...Array(blobs.readUInt32BE(8)).keys()].map((index) => 12 + 8 * index);
  const entry = entries.find((at) => blobs.readUInt32BE(at) === 0);
  if (blobs.readUInt32BE(0) !== 0xfade0cc0 || entry === undefined) throw new Error("This is no signature.");
  const directory = blobs.subarray(blobs.readUInt32BE(entry + 4));
  if (directory.readUInt32BE(0) !== 0xfade0c02 || directory.readUInt16BE(36) !== 0x2002)
    throw new Error("This is no code directory of SHA-256.");
  const word = (offset: number) => directory.readUInt32BE(offset);
  const [hashes, name, pages, covered, size] = [word(16), word(20), word(28), word(32), 2 ** directory.readUInt8(39)];
  const wrong = [...Array(pages).keys()].filter((page) => {
    const bytes = file.subarray(page * size, Math.min((page + 1) * size, covered));
    const at = hashes + 32 * page;
    return !createHash("sha256")
      .update(bytes)
      .digest()
      .equals(directory.subarray(at, at + 32));
  });
  if (pages !== Math.ceil(covered / size)) throw new Error("This signature is not of every page.");
  return { name: directory.toString("latin1", name, directory.indexOf(0, name)), covered, wrong };
}
