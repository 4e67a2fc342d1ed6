import * as http from "node:http";
import * as https from "node:https";
import { pipeline, type Readable } from "node:stream";
import { TLSSocket } from "node:tls";
import { createGunzip } from "node:zlib";

/**
 * Whether a request that has failed was surely not sent, because no connection came about: the host is unknown, no
 * server listens there, or its certificate is not trusted. What broke a connection may have come after the request.
 */
export const isUnsent = (error: unknown): boolean => error instanceof Error && "unsent" in error;

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
    let connected = false;
    let answered = false;
    outgoing.once("socket", (socket) => {
      // An agent also hands on the connection that another request has used, which is then ready.
      const isSecured = !(socket instanceof TLSSocket) || socket.getFinished() !== undefined;
      connected = !socket.pending && isSecured;
      if (connected) return;
      // Nothing is written before it.
      socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", () => {
        connected = true;
      });
    });
    outgoing.once("response", (response) => {
      answered = true;
      resolve(response);
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      const wasClosed = error.code === "ECONNRESET" || error.code === "EPIPE";
      if (!answered && wasClosed && outgoing.reusedSocket && options.method === "GET")
        resolve(sendRequest(url, { ...options, agent: false }, body));
      else reject(connected ? error : Object.assign(error, { unsent: true }));
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
