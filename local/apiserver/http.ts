import { once as happened } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { ApiRequest, ApiResponse } from "../../shared/kubernetes/transport.ts";
import { type Listening, listen } from "../system-server/listen.ts";
import { methodNotAllowed } from "./failure.ts";
import { protobufType } from "./protobuf/decode.ts";
import { encodeFailure } from "./representation/encode.ts";
import type { ApiServer } from "./server.ts";
import { StatusError } from "./status-error.ts";

/** An API server on a port; with its connections all watches end. */
export interface HttpServer extends Listening {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
}

/** When an idle connection is closed, in milliseconds: as a real API server has it, which its clients count on. */
const idle = 90_000;

/** Puts an API server on a port of loopback, a free one unless it is given. Rejects when the port is taken. */
export async function serveHttp(server: ApiServer, port?: number): Promise<HttpServer> {
  const http = createServer((incoming, outgoing) => {
    serve(server, incoming, outgoing).catch(() => outgoing.destroy());
  });
  http.keepAliveTimeout = idle;
  const listening = await listen(http, port);
  return { ...listening, url: `http://127.0.0.1:${listening.port}` };
}

async function serve(server: ApiServer, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  let response: ApiResponse;
  try {
    response = await server.handle(await read(incoming, gone.signal));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    response = encodeFailure(error);
  }
  const { "transfer-encoding": encoding, ...headers } = response.headers;
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  outgoing.setHeader("cache-control", "no-cache, private");
  outgoing.statusCode = response.status;
  if (encoding === "chunked") await stream(response.body, outgoing, gone.signal);
  else await send(response.body, outgoing);
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

async function read(incoming: IncomingMessage, signal: AbortSignal): Promise<ApiRequest> {
  const method = methods.find((known) => known === incoming.method);
  if (!method) throw methodNotAllowed();
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  const content = Buffer.concat(await incoming.toArray());
  const common = { method, path: incoming.url ?? "/", signal };
  if (content.length === 0) return { ...common, headers };
  const encoding = headers["content-type"]?.startsWith(protobufType) ? "base64" : "utf8";
  return { ...common, headers, body: content.toString(encoding) };
}

/** Sends pieces as they come, no faster than the client takes them. */
async function stream(body: AsyncIterable<string>, outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  outgoing.flushHeaders();
  for await (const piece of body) {
    if (signal.aborted) return;
    if (!outgoing.write(piece)) await happened(outgoing, "drain", { signal }).catch(() => {});
  }
  outgoing.end();
}

async function send(body: AsyncIterable<string>, outgoing: ServerResponse): Promise<void> {
  const content = Buffer.from((await Array.fromAsync(body)).join(""));
  outgoing.setHeader("content-length", content.length);
  outgoing.end(content);
}
