import { expect, test } from "vitest";
import { readMachO, readSignature } from "../../test/release/mach-o.ts";
import { signAdHoc } from "./sign-ad-hoc.ts";
import { withoutCertificates } from "./without-certificates.ts";

const commandSize = 72;

/** A program of two segments, the last one at its end, with room for `room` bytes more of load commands. */
function programOf(room: number, tail = 0): Buffer {
  const program = Buffer.alloc(9_000, 7);
  program.fill(0, 0, 32 + 2 * commandSize + room);
  for (const [index, word] of [0xfeedfacf, 0x0100000c, 0, 2, 2, 2 * commandSize].entries())
    program.writeUInt32LE(word, 4 * index);
  const segments: readonly (readonly [string, number, number])[] = [
    ["__TEXT", 0, 8_192],
    ["__LINKEDIT", 8_192, program.length - 8_192 - tail],
  ];
  for (const [index, [name, offset, size]] of segments.entries()) {
    const at = 32 + index * commandSize;
    program.writeUInt32LE(0x19, at);
    program.writeUInt32LE(commandSize, at + 4);
    program.write(name, at + 8, "latin1");
    program.writeBigUInt64LE(BigInt(offset), at + 40);
    program.writeBigUInt64LE(BigInt(size), at + 48);
  }
  return program;
}

test("a program for macOS has a signature of every page, to its end", () => {
  const signed = signAdHoc(programOf(16), "holdfast");
  const { segments, signature } = readMachO(signed);
  // The next multiple of 16 after the program.
  expect(signature).toEqual([9_008, signed.length]);
  expect(segments.get("__LINKEDIT")).toEqual([8_192, signed.length]);
  expect(readSignature(signed, signature)).toEqual({ name: "holdfast", covered: 9_008, wrong: [] });
  signed[5_000]! ^= 1;
  expect(readSignature(signed, signature).wrong).toEqual([1]);
});

test.each([
  ["that is none", Buffer.alloc(64), "no Mach-O program"],
  ["that has a signature", signAdHoc(programOf(16), "holdfast"), "has a signature"],
  ["without room for where it is", programOf(8), "has no room"],
  ["with something behind its last segment", programOf(16, 8), "is not its end"],
])("a program %s is not signed", (_, program, complaint) =>
  expect(() => signAdHoc(program, "holdfast")).toThrow(complaint),
);

test("what is no program for Windows has no certificates that could be taken out", () =>
  expect(() => withoutCertificates(programOf(16))).toThrow("no program for Windows"));
