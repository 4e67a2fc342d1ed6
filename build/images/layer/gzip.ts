import { gzip } from "fflate";

/**
 * What compresses Node best of what takes no minute. Part of what a layer's bytes depend on, like the library's
 * version.
 */
const settings = { level: 6, mem: 8, mtime: 0 } as const;

/** Names how layers are compressed, for who keeps compressed ones. */
export const compression = JSON.stringify(settings);

/**
 * Compresses bytes, without a file name and without a time. What Node's own zlib makes of the same bytes depends on its
 * version and on the instructions that the processor has, and with that the digest of a layer would; this is plain
 * JavaScript.
 */
export function gzipOf(bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // In a thread of its own: Node, which is 120 MB, takes ten seconds or more.
    gzip(bytes, settings, (error, compressed) => (error ? reject(error) : resolve(Buffer.from(compressed))));
  });
}
