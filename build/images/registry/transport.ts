import type { Readable } from "node:stream";
import { EnvHttpProxyAgent, request } from "undici";

/** What is sent to a registry, or to where its tokens come from. */
export interface Message {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Opened once per try. */
  readonly body?: () => Promise<Readable>;
}

/** What comes back. The body must be read, or dumped. */
export interface Answer {
  readonly status: number;
  /** Where it came from, after redirects. */
  readonly url: string;
  header(name: string): string | undefined;
  readonly body: Readable & { text(): Promise<string>; dump(): Promise<void> };
}

/** Sends one message, once. Rejects with Node's error when nothing came back. */
export type Transport = (message: Message) => Promise<Answer>;

const redirects = 5;
/**
 * Milliseconds. A registry may think about a large blob before it answers; it must not take this long to be reached.
 */
const connectTimeout = 10_000;

/**
 * HTTP, through the proxy that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name, if any. `anyCertificate` leaves
 * unchecked who answers. Downloads are followed to where they are kept, without showing the credentials there.
 */
export function openTransport(anyCertificate: boolean): Transport {
  const tls = { rejectUnauthorized: !anyCertificate };
  const dispatcher = new EnvHttpProxyAgent({ connect: { ...tls, timeout: connectTimeout }, requestTls: tls });
  return async ({ method, url, headers = {}, body }) => {
    let at = url;
    let sent = { "user-agent": "holdfast", ...headers };
    for (let redirect = 0; ; redirect++) {
      const {
        statusCode,
        headers: received,
        body: answer,
      } = await request(at, {
        dispatcher,
        method,
        headers: sent,
        body: (await body?.()) ?? null,
      });
      const header = (name: string) => {
        const value = received[name];
        return Array.isArray(value) ? value.join(", ") : value;
      };
      const location = header("location");
      const moved = (method === "GET" || method === "HEAD") && [301, 302, 303, 307, 308].includes(statusCode);
      if (!moved || !location || redirect === redirects) return { status: statusCode, url: at, header, body: answer };
      await answer.dump();
      const next = new URL(location, at);
      if (next.origin !== new URL(at).origin) sent = withoutCredentials(sent);
      at = next.href;
    }
  };
}

function withoutCredentials<T extends Record<string, string>>(headers: T): T {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "authorization")) as T;
}
