import type { IncomingMessage } from "node:http";

/**
 * The largest event that is read, in bytes. Objects reach 1.5 MiB in etcd; express' own default of 100 kB would send real
 * Pods and Nodes straight to the dead-letter sink.
 */
export const largestBody = 4 * 1024 * 1024;

/**
 * Reads a request's body as text; answers `undefined` when it is longer than {@link largestBody}. The rest is then read and
 * thrown away: a sender that is still writing would see a broken connection instead of the answer, and try again. Rejects
 * when the sender goes away.
 */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  let chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > largestBody) chunks = [];
    else chunks.push(chunk);
  }
  if (length > largestBody) return undefined;
  return (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString("utf8");
}
