import type { IncomingMessage } from "node:http";

/**
 * The largest event that is read, in bytes. Objects reach 1.5 MiB in etcd; express' own default of 100 kB would send
 * real Pods and Nodes straight to the dead-letter sink.
 */
export const largestBody = 4 * 1024 * 1024;

/**
 * Reads a request's body as text; returns `undefined` when it is longer than {@link largestBody}. The rest is then read
 * and thrown away: a sender that is still writing would see a broken connection instead of the answer, and try again.
 * Rejects when the sender goes away.
 */
export function readBody(request: IncomingMessage): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  let chunks: Buffer[] = [];
  let length = 0;
  // Listeners, because iterating over a request costs more than all that is done with it afterwards.
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > largestBody) chunks = [];
    else chunks.push(chunk);
  });
  request.on("end", () => {
    if (length > largestBody) resolve(undefined);
    else resolve((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString("utf8"));
  });
  request.on("error", reject);
  return promise;
}
