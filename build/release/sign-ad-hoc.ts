import { createHash } from "node:crypto";

/** Load commands of Apple's mach-o/loader.h. */
const segmentCommand = 0x19;
const signatureCommand = 0x1d;
const headerSize = 32;

/** Of Apple's kern/cs_blobs.h. */
const embeddedSignature = 0xfade0cc0;
const codeDirectory = 0xfade0c02;
const adHocByLinker = 0x20002;
const mainBinary = 1n;
const directorySize = 88;
const blobIndexSize = 20;

/** What a page is to the signature, and what one is to the loader. */
const [hashedPage, loadedPage] = [4096, 16_384];
const hashSize = 32;

const roundUp = (value: number, unit: number) => Math.ceil(value / unit) * unit;

/**
 * A program for macOS (Mach-O of 64 bits, without a signature) with the signature that linkers put into what they make,
 * which says nothing about who made it: Apple silicon runs no program without one. It holds the hash of every page.
 *
 * @throws Error where the program has a signature, or no room for one
 */
export function signAdHoc(program: Buffer, name: string): Buffer {
  if (program.readUInt32LE(0) !== 0xfeedfacf) throw new Error("This is no Mach-O program of 64 bits.");
  const start = roundUp(program.length, 16);
  const nameEnd = blobIndexSize + directorySize + Buffer.byteLength(name) + 1;
  const pages = Math.ceil(start / hashedPage);
  const size = roundUp(nameEnd + pages * hashSize, 16);
  const signed = Buffer.concat([program], start + size);
  const textEnd = addCommand(signed, program.length, start, size);

  const signature = signed.subarray(start);
  const words = [embeddedSignature, size, 1, 0, blobIndexSize];
  const [directoryLength, version, special, code] = [size - blobIndexSize, 0x20400, 0, pages];
  words.push(codeDirectory, directoryLength, version, adHocByLinker);
  words.push(nameEnd - blobIndexSize, directorySize, special, code, start);
  for (const [index, word] of words.entries()) signature.writeUInt32BE(word, 4 * index);
  // The size of a hash, SHA-256, no platform, and the page as a power of two.
  signature.set([hashSize, 2, 0, Math.log2(hashedPage)], blobIndexSize + 36);
  signature.writeBigUInt64BE(BigInt(textEnd), blobIndexSize + 72);
  signature.writeBigUInt64BE(mainBinary, blobIndexSize + 80);
  signature.write(name, blobIndexSize + directorySize);
  for (let page = 0; page < pages; page++) {
    const bytes = signed.subarray(page * hashedPage, Math.min((page + 1) * hashedPage, start));
    signature.set(createHash("sha256").update(bytes).digest(), nameEnd + page * hashSize);
  }
  return signed;
}

/** Has the program say where its signature is, as part of its last segment. Returns where the program's code ends. */
function addCommand(signed: Buffer, length: number, start: number, size: number): number {
  const [count, bytes] = [signed.readUInt32LE(16), signed.readUInt32LE(20)];
  let textEnd = 0;
  let lastEnd = 0;
  let at = headerSize;
  for (let left = count; left > 0; left--, at += signed.readUInt32LE(at + 4)) {
    const command = signed.readUInt32LE(at);
    if (command === signatureCommand) throw new Error("This program has a signature.");
    if (command !== segmentCommand) continue;
    const segment = signed.toString("latin1", at + 8, at + 24).replace(/\0.*$/, "");
    const offset = Number(signed.readBigUInt64LE(at + 40));
    const end = offset + Number(signed.readBigUInt64LE(at + 48));
    if (segment === "__TEXT") textEnd = end;
    if (segment !== "__LINKEDIT") continue;
    lastEnd = end;
    signed.writeBigUInt64LE(BigInt(start + size - offset), at + 48);
    signed.writeBigUInt64LE(BigInt(roundUp(start + size - offset, loadedPage)), at + 32);
  }
  if (lastEnd !== length) throw new Error("The last segment of this program is not its end.");
  const command = signed.subarray(at, at + 16);
  if (command.some((byte) => byte !== 0)) throw new Error("This program has no room for where its signature is.");
  for (const [index, word] of [signatureCommand, 16, start, size].entries()) command.writeUInt32LE(word, 4 * index);
  signed.writeUInt32LE(count + 1, 16);
  signed.writeUInt32LE(bytes + 16, 20);
  return textEnd;
}
