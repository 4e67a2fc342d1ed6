import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Transport } from "../../../../shared/kubernetes/transport.ts";
import type { AllowedRequest } from "./allowed-request.ts";
import { askApiServer, largestAnswer, limited } from "./ask-api-server.ts";

/** What of the API server's headers a page has a use for. All others, cookies and redirects among them, stay here. */
const passed = ["retry-after", "warning"];

/**
 * Answers with what the API server says: its status, and its body as it comes. A body that turns out too large breaks
 * off, which no client takes for the whole.
 *
 * @param forget the value of `set-cookie` that goes with a 401
 * @throws Refusal while nothing has been answered yet
 */
export async function passOn(
  transport: Transport,
  request: AllowedRequest,
  response: ServerResponse,
  forget?: string,
): Promise<number> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const answer = await askApiServer(transport, request, gone.signal);
  const { status, headers } = answer;
  const isJson = /^application\/json\b/.test(headers["content-type"] ?? "");
  response.setHeader("content-type", isJson ? "application/json" : "text/plain; charset=utf-8");
  for (const name of passed) if (headers[name]) response.setHeader(name, headers[name]);
  if (status === 401 && forget) response.setHeader("set-cookie", forget);
  response.writeHead(status);
  if (request.isWatch) response.flushHeaders();
  await pipeline(Readable.from(limited(answer, request.isWatch ? Number.POSITIVE_INFINITY : largestAnswer)), response);
  return status;
}
