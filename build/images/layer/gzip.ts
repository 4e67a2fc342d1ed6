import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";

const compress = promisify(gzip);

/** Where the header of a gzip file names the operating system that made it. */
const systemByte = 9;
const unknownSystem = 255;

/**
 * Compresses bytes, without a file name and without a time. How well zlib compresses depends on its build, and the bytes with
 * it: the same bytes come of the Node that the lock file pins, which is the one that npm scripts run with.
 */
export async function gzipOf(bytes: Buffer): Promise<Buffer> {
  const compressed = await compress(bytes, { level: constants.Z_BEST_COMPRESSION });
  compressed[systemByte] = unknownSystem;
  return compressed;
}
