import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { byProxy } from "../../../functions/platform/console/proxy-sign-in.ts";
import { byToken } from "../../../functions/platform/console/token-sign-in.ts";
import { tokenTransports } from "../../../functions/platform/console/token-transport.ts";
import { createConsole } from "../../../functions/platform/lib/console/console.ts";
import { serveLocally } from "../../../functions/platform/lib/console/serve-locally.ts";
import { systemClock } from "../../../shared/clock.ts";
import { temporaryFolder } from "../../../shared/command/temporary-folder.ts";
import { createLog } from "../../../shared/log.ts";

/** What a console answered. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Of a JSON body. */
  readonly json: { readonly [key: string]: unknown };
}

/** A request as it goes out: no client adds or corrects anything. */
export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: unknown;
}

/** A console on a port, and what it has logged. */
export interface Served {
  readonly port: number;
  readonly log: () => string;
  /** Sends a request as a page of this console would, unless it says otherwise. */
  ask(asked: Asked): Promise<Answer>;
}

const folder = temporaryFolder("console-test").path;
const client = join(folder, "client");
mkdirSync(join(client, "assets"), { recursive: true });
writeFileSync(join(client, "index.html"), "<!doctype html><title>Holdfast</title>");
writeFileSync(join(client, "assets/main-ABC.js"), "console.log(1)");
writeFileSync(join(client, "assets/main-ABC.js.gz"), "packed");
writeFileSync(join(client, "assets/main-ABC.js.br"), "packed more");
writeFileSync(join(folder, "secret.txt"), "out of the folder");

/** Puts a listener on a port of loopback until the test ends. */
export async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

const key = randomBytes(32).toString("base64");

/** A file with a key for cookies. Two consoles with the same one are two replicas. */
export function keyFile(value = key): string {
  const file = join(folder, `key-${randomBytes(4).toString("hex")}`);
  writeFileSync(file, value);
  return file;
}

interface FunctionOptions {
  readonly proxy?: boolean;
  /** Of the key of its cookies. */
  readonly file?: string;
  readonly origin?: string;
  /** The file with the API server's authority. */
  readonly authority?: string;
}

/** The console as a function in front of an API server, signed in to by tokens or through a proxy. */
export async function serveFunction(
  apiServer: string,
  { proxy = false, file = keyFile(), origin = "", authority = "" }: FunctionOptions = {},
): Promise<Served> {
  const withToken = tokenTransports({ apiServer, authority }, {});
  const signIn = proxy ? byProxy(withToken) : byToken(withToken, { keyFile: file, hours: 12 }, systemClock);
  const lines: string[] = [];
  const log = createLog("debug", { write: (line) => void lines.push(line) });
  const place = origin ? { origins: [origin] } : {};
  const port = await listen(createConsole({ signIn, place, client, log }));
  return { port, log: () => lines.join(""), ask: (asked) => askAt(port, asked) };
}

/** The console as the command line serves it, in front of an API server that takes this token. */
export async function serveOnLoopback(apiServer: string, token = "mine") {
  const lines: string[] = [];
  const used: number[] = [];
  const console = await serveLocally({
    transport: tokenTransports({ apiServer, authority: "" }, {})(token),
    client,
    log: createLog("debug", { write: (line) => void lines.push(line) }),
    entered: () => used.push(1),
  });
  onTestFinished(console.close);
  const { port, address } = console;
  return { port, address, used, log: () => lines.join(""), ask: (asked: Asked) => askAt(port, asked) };
}

/** Sends one request over a connection of its own. */
function askAt(port: number, { method = "GET", path = "/", headers = {}, body }: Asked): Promise<Answer> {
  const own = method === "GET" ? {} : { "sec-fetch-site": "same-origin", "x-holdfast-console": "1" };
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const all = { ...own, ...(text === undefined ? {} : { "content-type": type }), ...headers };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
  return new Promise((resolve, reject) => {
    const outgoing = send({ host: "127.0.0.1", port, method, path, headers: sent, agent: false }, async (response) => {
      const chunks = await Array.fromAsync(response as AsyncIterable<Buffer>).catch(reject);
      if (!chunks) return;
      const body = Buffer.concat(chunks).toString();
      const isJson = response.headers["content-type"] === "application/json";
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, body, json: isJson && body ? JSON.parse(body) : {} });
    });
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}

/** The cookie that an answer sets, as a browser sends it back. */
export function cookieOf({ headers }: Answer): string {
  const [set = ""] = headers["set-cookie"] ?? [];
  return set.split(";")[0] as string;
}
