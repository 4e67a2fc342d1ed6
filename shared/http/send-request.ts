import * as http from "node:http";
import * as https from "node:https";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";

/**
 * Sends one HTTP request and resolves with the head of its answer; rejects when there is none.
 *
 * A server may close a connection that is kept alive at the very moment it is used again. A GET is then sent once more,
 * over a connection of its own. A write is not: whether the server has taken it cannot be known here.
 */
export function sendRequest(url: string, options: http.RequestOptions, body?: string): Promise<http.IncomingMessage> {
  const { request } = url.startsWith("https:") ? https : http;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options);
    let answered = false;
    outgoing.once("response", (response) => {
      answered = true;
      resolve(response);
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      const wasClosed = error.code === "ECONNRESET" || error.code === "EPIPE";
      if (!answered && wasClosed && outgoing.reusedSocket && options.method === "GET")
        resolve(sendRequest(url, { ...options, agent: false }, body));
      else reject(error);
    });
    outgoing.end(body);
  });
}

/**
 * The bytes of an answer, decompressed; with an encoding set, its text. Ending the iteration early, or a broken
 * connection, ends decompression and response alike.
 */
export function bodyOf(response: http.IncomingMessage): Readable {
  if (response.headers["content-encoding"] !== "gzip") return response;
  // Each piece is a way through the thread pool and back: with pieces of 16 KiB, the default, a long list takes a third
  // longer.
  const plain = createGunzip({ chunkSize: 64 * 1024 });
  pipeline(response, plain, () => {});
  return plain;
}
