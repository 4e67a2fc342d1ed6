import type { IncomingMessage, ServerResponse } from "node:http";
import type { Transport } from "../../../../shared/kubernetes/transport.ts";
import type { Log } from "../../../../shared/log.ts";
import { createBodyReader } from "../../../../shared/serve/read-body.ts";
import { allowedRequest } from "./allowed-request.ts";
import { clientFiles } from "./client-files.ts";
import { isObjectPage } from "./object-page.ts";
import { checkHost, checkOwnPage, ownHeader, type Place } from "./own-pages.ts";
import { passOn } from "./pass-on.ts";
import { Refusal } from "./refusal.ts";
import { securityHeaders } from "./security-headers.ts";
import type { SignIn } from "./sign-in.ts";
import { watchMany } from "./watch-many.ts";
import { whoAmI } from "./who-am-i.ts";

/** What a console is made of. */
export interface ConsoleParts {
  readonly signIn: SignIn;
  readonly place: Place;
  /** The folder of the client as it was built. */
  readonly client: string;
  readonly log: Log;
}

/** Answers one request; never rejects. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Watches in one answer, at most. */
const mostWatches = 20;

/**
 * The server of the console: it gives out its pages, and passes on to the API server what they ask for, each time with
 * the credential of the user who asks. It keeps nothing, so that two of them are as good as one.
 */
export function createConsole({ signIn, place, client, log }: ConsoleParts): Handle {
  const files = clientFiles(client);
  const readBody = createBodyReader();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = "/", method = "" } = request;
    const [path = ""] = url.split("?");
    // A kubelet asks by the address of the pod.
    if (path === "/health/live" || path === "/health/ready") return reply(response, 204);
    checkHost(request, place);
    if (path === "/session") return session(request, response);
    if (path.startsWith("/open/")) return enter(path.slice("/open/".length), pageIn(url), response);
    if (path === "/watch") return watch(request, response);
    if (!path.startsWith("/cluster/")) return files(request, response);
    checkOwnPage(request, place);
    const transport = await signedIn(request);
    const body = method === "GET" ? "" : await bodyOf(request);
    const allowed = allow(request, method, url.slice("/cluster".length), body);
    if (response.destroyed) return;
    const status = await passOn(transport, allowed, response, signIn.forget(request, "refused"));
    log.debug({ method, path: allowed.path.split("?")[0], status }, "A request was passed on.");
  }

  function enter(secret: string, page: string, response: ServerResponse): void {
    const cookie = signIn.enter?.(secret);
    if (!cookie)
      throw new Refusal(403, "This address has been used. Where the console was started stands another one.");
    response.setHeader("location", page);
    reply(response, 303, undefined, cookie);
  }

  async function watch(request: IncomingMessage, response: ServerResponse): Promise<void> {
    checkOwnPage(request, place);
    if (request.method !== "GET") throw new Refusal(405, "Watches are asked for by GET.");
    const paths = new URL(request.url ?? "/", "http://console").searchParams.getAll("path");
    if (paths.length === 0 || paths.length > mostWatches)
      throw new Refusal(400, `Name 1 to ${mostWatches} watches, each as a path.`);
    const transport = await signedIn(request);
    const watches = paths.map((path) => ({ path, request: allow(request, "GET", path, "") }));
    if (watches.some(({ request }) => !request.isWatch)) throw new Refusal(400, "Each path must be that of a watch.");
    // The page has gone meanwhile: its "close" has been, and would end no watch.
    if (response.destroyed) return;
    await watchMany(transport, watches, response);
  }

  async function session(request: IncomingMessage, response: ServerResponse): Promise<void> {
    checkOwnPage(request, place);
    switch (request.method) {
      case "GET": {
        const transport = await signIn.transportFor(request);
        const user = transport && (await whoAmI(transport));
        const signedIn = user !== undefined;
        const body = { signedIn, user: user || null, how: signIn.how };
        return reply(response, 200, body, signedIn ? undefined : signIn.forget(request, "refused"));
      }
      case "POST":
        if (!signIn.open) throw new Refusal(404, "This console takes no tokens.");
        return reply(response, 204, undefined, await signIn.open(tokenIn(await bodyOf(request)), request));
      case "DELETE":
        return reply(response, 204, undefined, signIn.forget(request, "asked"));
    }
    throw new Refusal(405, "A session is asked for by GET, begun by POST, and ended by DELETE.");
  }

  function allow({ headers }: IncomingMessage, method: string, path: string, body: string) {
    return allowedRequest({ method, path, contentType: headers["content-type"], body });
  }

  /** @throws Refusal when it is too long */
  async function bodyOf(request: IncomingMessage): Promise<string> {
    const body = await readBody(request);
    if (body.refused === "too long") throw new Refusal(413, "The body of the request is too long.");
    if (body.refused) throw new Refusal(503, "Too many large requests come at once. Try again.");
    return body.take();
  }

  async function signedIn(request: IncomingMessage): Promise<Transport> {
    const transport = await signIn.transportFor(request);
    if (transport) return transport;
    throw new Refusal(401, "Sign in first.", { cookie: signIn.forget(request, "refused") });
  }

  return async (request, response) => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    try {
      await answer(request, response);
    } catch (error) {
      // What was begun cannot be taken back: a broken answer is not taken for a whole one.
      if (response.headersSent) response.destroy();
      else refuse(request, response, error);
    }
  };

  function refuse({ method }: IncomingMessage, response: ServerResponse, error: unknown): void {
    const refusal = error instanceof Refusal ? error : undefined;
    const status = refusal?.status ?? 500;
    const message = refusal?.message ?? "The console could not do this. Its log says why.";
    // Neither headers nor addresses, in which people might have put what is secret.
    if (!refusal) log.error({ method, error: (error as Error).stack }, "A request failed.");
    else if (status === 502) log.warn({ method, cause: (refusal.cause as Error | undefined)?.message }, message);
    else log.debug({ method, status }, message);
    response.setHeader(ownHeader, "refused");
    reply(response, status, { message }, refusal?.cookie);
  }
}

/** The page that an address of the console asks for: that of an object, or the first one. */
function pageIn(url: string): string {
  const page = new URL(url, "http://console").searchParams.get("page") ?? "";
  return isObjectPage(page) ? page : "/";
}

function reply(response: ServerResponse, status: number, body?: object, cookie?: string): void {
  if (cookie) response.setHeader("set-cookie", cookie);
  if (body) response.setHeader("content-type", "application/json");
  response.writeHead(status);
  response.end(body && JSON.stringify(body));
}

function tokenIn(body: string): string {
  try {
    const { token } = JSON.parse(body) as { token?: unknown };
    if (typeof token === "string" && /^[\x21-\x7e]+$/.test(token.trim())) return token.trim();
  } catch {}
  throw new Refusal(400, "Paste one token, without blanks.");
}
