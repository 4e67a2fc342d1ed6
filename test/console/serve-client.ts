import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type { ApiRequest, ApiResponse, Transport } from "../../shared/kubernetes/transport.ts";

/** The console's client behind a server of the tests, which passes requests to an API server. */
export interface ServedClient {
  readonly url: string;
  /** The token with which requests are made; as which users a page is seen is changed by it. */
  token: string;
  /** `away`: as if the API server could not be reached. */
  isAway: boolean;
  /** Ends all streams, as a proxy does that has had enough of them. */
  cut(): void;
  /** How many streams have been opened. */
  readonly streams: number;
  close(): Promise<void>;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".woff2": "font/woff2",
};
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the built client of `folder`, with requests to an API server as the user of a token. */
export async function serveClient(
  folder: string,
  connect: (token: string) => Transport,
  token: string,
): Promise<ServedClient> {
  const open = new Set<AbortController>();
  const served = { token, isAway: false, streams: 0 };

  async function ask(
    path: string,
    incoming: IncomingMessage | undefined,
    signal: AbortSignal,
  ): Promise<Pick<ApiResponse, "status" | "headers" | "body">> {
    if (served.isAway) return { status: 502, headers: {}, body: away() };
    const method = (incoming?.method ?? "GET") as ApiRequest["method"];
    const body = incoming && method !== "GET" ? await textOf(incoming.setEncoding("utf8")) : "";
    const { "content-type": type } = incoming?.headers ?? {};
    const headers = type ? { "content-type": type } : {};
    return connect(served.token)({ method, path, headers, ...(body ? { body } : {}), signal });
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? "/", "http://console");
    const end = new AbortController();
    open.add(end);
    outgoing.once("close", () => {
      open.delete(end);
      end.abort();
    });
    if (incoming.method !== "GET" && incoming.headers["x-holdfast-console"] !== "1")
      return void outgoing.writeHead(403).end(JSON.stringify({ message: "The header is missing." }));
    if (url.pathname === "/session")
      return void outgoing.end(JSON.stringify({ signedIn: true, user: "admin", how: "token" }));
    if (url.pathname.startsWith("/cluster/")) {
      const response = await ask((incoming.url ?? "").slice("/cluster".length), incoming, end.signal);
      outgoing.writeHead(response.status, { "content-type": response.headers["content-type"] ?? "application/json" });
      return void outgoing.end(await textOf(response.body));
    }
    if (url.pathname === "/watch") {
      served.streams++;
      outgoing.writeHead(200, { "content-type": "application/x-ndjson" });
      outgoing.write("{}\n");
      await Promise.all(url.searchParams.getAll("path").map((path) => pass(path, outgoing, end.signal)));
      return void outgoing.end();
    }
    const file = url.pathname.startsWith("/assets/") ? url.pathname : "/index.html";
    const type = types[extname(file)] ?? "text/plain";
    outgoing.writeHead(200, { "content-type": type, "content-security-policy": policy });
    outgoing.end(await readFile(join(folder, file)));
  }

  async function pass(path: string, outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
    const say = (line: object) => outgoing.write(`${JSON.stringify({ path, ...line })}\n`);
    const response = await ask(path, undefined, signal).catch(() => undefined);
    if (response?.status !== 200)
      return void say({
        end: { status: response?.status ?? 502, message: response ? await textOf(response.body) : "" },
      });
    say({});
    let rest = "";
    try {
      for await (const text of response.body) {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line) say({ event: JSON.parse(line) });
      }
    } catch {
      // The API server has gone, or the page has.
    }
    say({ end: { status: 200 } });
  }

  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(served, {
    url: `http://127.0.0.1:${port}`,
    cut: () => server.closeAllConnections(),
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  });
}

async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += chunk;
  return text;
}

async function* away() {
  yield JSON.stringify({ message: "The API server cannot be reached." });
}
