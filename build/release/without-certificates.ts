/** Of Microsoft's description of portable executables. */
const [headerAt, optionalHeader, largeProgram, directories, certificates] = [0x3c, 24, 0x20b, 112, 4];

/**
 * A program for Windows that names no certificates: those of Node's project are about a file that has changed, and
 * Windows calls a program with a wrong signature worse than one without. @throws Error
 */
export function withoutCertificates(program: Buffer): Buffer {
  const at = program.readUInt32LE(headerAt);
  if (program.readUInt32LE(at) !== 0x4550 || program.readUInt16LE(at + optionalHeader) !== largeProgram)
    throw new Error("This is no program for Windows of 64 bits.");
  const named = at + optionalHeader + directories + 8 * certificates;
  return Buffer.from(program).fill(0, named, named + 8);
}
