import { Agent, request } from "undici";
import type { Send } from "./send.ts";

/** A `Send` over HTTP, to be closed when it is no longer needed. */
export interface FetchSend {
  readonly send: Send;
  /** Waits for requests under way, then closes the connections. */
  close(): Promise<void>;
}

/**
 * Sends over HTTP/1.1 with connections kept open. Like Knative's own senders it waits for an answer as long as it takes
 * (the deadline, if any, is the caller's signal), 30 s for a connection, and follows no redirect.
 */
export function createFetchSend(): FetchSend {
  const dispatcher = new Agent({ connect: { timeout: 30_000 }, headersTimeout: 0, bodyTimeout: 0 });
  return {
    send: async (url, { headers, body }, signal) => {
      const response = await request(url, { method: "POST", headers, body, dispatcher, ...(signal ? { signal } : {}) });
      const text = await response.body.text();
      return { status: response.statusCode, headers: flatten(response.headers), body: text };
    },
    close: () => dispatcher.close(),
  };
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name] = typeof value === "string" ? value : value.join(", ");
  }
  return flat;
}
