import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { HttpResponse } from "../shared/http-message.ts";
import { createBodyReader, largestBody } from "../shared/serve/read-body.ts";
import type { Standalone } from "./start-eventing.ts";

/** Serves the ingress, and beside it `/health/live` and `/health/ready`. Not listening yet. */
export function createHttp({ receive, ready }: Pick<Standalone, "receive" | "ready">): Server {
  const readBody = createBodyReader();
  async function answer(request: IncomingMessage): Promise<HttpResponse> {
    const path = request.url ?? "/";
    if (request.method === "GET" && path === "/health/live") return empty(204);
    if (request.method === "GET" && path === "/health/ready") return empty(ready() ? 204 : 503);
    if (request.method !== "POST") return empty(405);
    const body = await readBody(request);
    if (body.refused === "too long") return { ...empty(413), body: `An event may have at most ${largestBody} bytes.` };
    if (body.refused) return empty(503);
    return receive(path, { headers: request.headers as Record<string, string>, body: body.take() });
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    answer(request).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body || undefined),
      () => response.destroy(),
    );
  });
  // A sender that stops in the middle of a body must not hold a connection for long.
  server.requestTimeout = 30_000;
  return server;
}

const empty = (status: number): HttpResponse => ({ status, headers: {}, body: "" });
