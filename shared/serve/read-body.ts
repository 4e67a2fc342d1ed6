import type { IncomingMessage } from "node:http";

/**
 * The largest event that is read, in bytes. Objects reach 1.5 MiB in etcd; express' own default of 100 kB would send real
 * Pods and Nodes straight to the dead-letter sink.
 */
export const largestBody = 4 * 1024 * 1024;

/**
 * Reads a request's body as text; answers `undefined` when it is longer than {@link largestBody}. Rejects when the sender
 * goes away. By events, because iterating over a request costs a function half as much again as express itself.
 */
export function readBody(request: IncomingMessage): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  if (Number(request.headers["content-length"]) > largestBody) {
    resolve(undefined);
    return promise;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= largestBody) chunks.push(chunk);
    else {
      request.pause();
      resolve(undefined);
    }
  });
  request.once("end", () => resolve((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString("utf8")));
  request.once("error", reject);
  return promise;
}
