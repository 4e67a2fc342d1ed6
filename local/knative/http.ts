import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpRequest, HttpResponse } from "../../shared/http-message.ts";

/** Answers a request to a path of the ingress; a rejection closes the connection without an answer. */
export type Ingress = (path: string, request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** The ingress as it listens. */
export interface ServedIngress {
  /** Root of the brokers' URLs, without a slash at its end. */
  readonly url: string;
  readonly port: number;
  /** Stops listening and closes every connection. */
  close(): Promise<void>;
}

/**
 * Serves an ingress over HTTP, so that functions and `curl` reach the brokers as `http://host:port/namespace/name`.
 * Port 0 takes a free one; rejects when the port is taken. A caller that goes away aborts the signal of its request.
 */
export async function serveIngress(
  ingress: Ingress,
  { host = "127.0.0.1", port = 0 }: { host?: string; port?: number } = {},
): Promise<ServedIngress> {
  const server = createServer((request, response) => {
    answer(ingress, request, response).catch(() => response.destroy());
  });
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject).listen(port, host, listening.resolve);
  await listening.promise;
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host}:${bound}`,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(ingress: Ingress, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader("allow", "POST, OPTIONS");
  if (request.method === "OPTIONS") {
    response.writeHead(200, { "webhook-allowed-origin": "*", "webhook-allowed-rate": "*" }).end();
    return;
  }
  if (request.method !== "POST") {
    response.writeHead(405).end();
    return;
  }
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableEnded) gone.abort(new Error("the sender went away"));
  });
  const body = await readBody(request);
  const {
    status,
    headers,
    body: text,
  } = await ingress(request.url ?? "/", { headers: singleHeaders(request), body }, gone.signal);
  response.writeHead(status, headers).end(text);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function singleHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in request.headers) {
    const value = request.headers[name];
    if (value !== undefined) headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  return headers;
}
